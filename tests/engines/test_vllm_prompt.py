"""Prompts under chat templates of every kind, without an engine."""

import importlib.util
from typing import Any

import pytest
from tiny import MODEL, ask, write_words

from beam_rs.engines._vllm_prompt import Prompt, Renderer
from beam_rs.errors import ConfigError
from beam_rs.schema import Completion, ImageRef, Message

pytestmark = pytest.mark.filterwarnings("ignore")

LOOP = "{% for m in messages %}<|im_start|>{{ m.role }}\n"
PARTS = "{% for p in m.content %}{% if p.type == 'image' %}<image>{% else %}{{ p.text }}{% endif %}{% endfor %}"
END = "<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}"
TEMPLATES = {
    "parts": LOOP + PARTS + END,
    "string": LOOP + "{{ m.content }}" + END,
    "thinks": LOOP + PARTS + END + "{{ '<think>\n' }}",
    "switch": LOOP + PARTS + END + "{% if not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}",
}
REFUSES = LOOP + PARTS + "{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + END


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed; it comes with vLLM")
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(MODEL)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> ImageRef:
    return write_words(tmp_path_factory.mktemp("words"))["open"]


def renderer(tokenizer: Any, template: str, longest: int = 100) -> Renderer:
    token = tokenizer.convert_tokens_to_ids("<image>")
    return Renderer(tokenizer, TEMPLATES.get(template, template), "<image>", token, longest)


@pytest.mark.parametrize(
    ("template", "thinking", "prefix", "shown", "tail", "inside"),
    [
        ("parts", True, "", "<image>Read.", "assistant\n", False),
        ("string", True, "", "<image>\nRead.", "assistant\n", False),
        ("thinks", True, "", "<image>Read.", "assistant\n<think>\n", True),
        ("thinks", True, "<think>\nIt", "<image>Read.", "assistant\n<think>\nIt", False),
        ("switch", False, "", "<image>Read.", "assistant\n<think>\n\n</think>\n\n", False),
        ("switch", True, "", "<image>Read.", "assistant\n", False),
        ("switch", False, "Step 1.\n\n", "<image>Read.", "assistant\n<think>\n\n</think>\n\nStep 1.\n\n", False),
        ("switch", False, "<think>\nIt", "<image>Read.", "assistant\n<think>\nIt", False),
    ],
)
def test_renders(
    tokenizer: Any,
    image: ImageRef,
    template: str,
    thinking: bool,
    prefix: str,
    shown: str,
    tail: str,
    inside: bool,
) -> None:
    prompt = renderer(tokenizer, template).render(ask(image, "Read.", prefix, thinking=thinking))
    assert isinstance(prompt, Prompt)
    assert prompt.text == f"<|im_start|>user\n{shown}<|im_end|>\n<|im_start|>{tail}"
    assert prompt.thinking == inside
    assert tokenizer.decode(prompt.tokens) == prompt.text


@pytest.mark.parametrize(
    ("template", "text", "error", "detail"),
    [
        ("parts", "two <image> here", "bad_response", "2 image placeholders in the prompt of 1 images"),
        ("parts", "x" * 200, "prompt_too_long", "at most 100"),
        ("parts", "\udcff", "bad_response", "refuses"),
        (REFUSES, "system", "bad_response", "no system"),
    ],
)
def test_refuses(tokenizer: Any, image: ImageRef, template: str, text: str, error: str, detail: str) -> None:
    request = ask(image, text)
    if text == "system":
        turns = (Message("system", "s"), *request.messages)
        request = type(request)(**{**vars(request), "messages": turns})
    found = renderer(tokenizer, template).render(request)
    assert isinstance(found, Completion)
    assert (found.error, detail in found.detail) == (error, True)


@pytest.mark.parametrize("template", ["{{ nonsense.x.y }}", "nothing of it", "{% if %}"])
def test_refuses_templates(tokenizer: Any, template: str) -> None:
    with pytest.raises(ConfigError, match="chat template"):
        renderer(tokenizer, template)
