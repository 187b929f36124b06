"""From a request to what vLLM is given: the model's own chat template, checked before anything is sent."""

import threading
from dataclasses import dataclass
from typing import Any, Final

from beam_rs.engines.base import failed
from beam_rs.errors import ConfigError
from beam_rs.schema import Completion, Message, Request

_PROBE: Final = "beam_rs probe"
_THINK: Final = "<think>"


@dataclass(frozen=True)
class Prompt:
    """A rendered prompt.

    Attributes:
      text: as the template writes it, an open answer behind it.
      tokens: the same as token ids, one placeholder a picture.
      thinking: the prompt ends inside a thought that the template opened.
      special: the tags of a thought are special tokens of this model, which are left out of a text unless asked for.
    """

    text: str
    tokens: list[int]
    thinking: bool
    special: bool


class Renderer:
    """Renders requests for one model.

    Args:
      tokenizer: of the model, as transformers loads it.
      template: its chat template.
      placeholder: the text that stands for a picture in a prompt; empty for a model that sees none.
      image_token: id of the token within the placeholder that counts pictures, where the model names one.
      longest: the most tokens of a prompt, so that one remains for the answer.

    Raises:
      ConfigError: the template cannot be used.
    """

    def __init__(self, tokenizer: Any, template: str, placeholder: str, image_token: int | None, longest: int) -> None:
        self._tokenizer, self._template = tokenizer, template
        self._placeholder, self._image_token, self._longest = placeholder, image_token, longest
        self._encoding = threading.Lock()  # fast tokenizers cannot be used by two threads at once
        self._special = _THINK in getattr(tokenizer, "all_special_tokens", ())
        self._as_parts = self._takes_parts()

    def render(self, request: Request) -> Prompt | Completion:
        """The prompt of a request, or the completion of one that must not be sent."""
        try:
            text = self.text(request)
        except Exception as error:  # a template may refuse with an exception of its own
            return failed(request, "bad_response", f"the chat template refuses the request: {error}")
        images = 1 if request.image else 0
        if self._placeholder and text.count(self._placeholder) != images:
            found = text.count(self._placeholder)
            return failed(request, "bad_response", f"{found} image placeholders in the prompt of {images} images")
        try:
            tokens = self._encode(text)
        except (TypeError, ValueError) as error:  # half of a surrogate pair, for one
            return failed(request, "bad_response", f"the tokenizer refuses the prompt: {error}")
        if self._image_token is not None and tokens.count(self._image_token) != images:
            found = tokens.count(self._image_token)
            return failed(request, "bad_response", f"{found} image tokens in the prompt of {images} images")
        if len(tokens) > self._longest:
            detail = f"{len(tokens)} tokens without pictures, at most {self._longest} go into the model"
            return failed(request, "prompt_too_long", detail)
        opened = _ends_in_thought(text) and not _open_turn(request)
        return Prompt(text, tokens, opened, self._special)

    def text(self, request: Request) -> str:
        """The prompt as text: turns, generation prompt, then an open answer exactly as it stands."""
        prefix = _open_turn(request)
        turns = request.messages[:-1] if prefix is not None else request.messages
        thinking = request.sampling.thinking or _THINK in (prefix or "")
        text = self._apply(self._conversation(turns, request.image is not None), thinking)
        if prefix and prefix.lstrip().startswith(_THINK) and _ends_in_thought(text):
            text = text[: text.rindex(_THINK)]  # the open answer brings the tag that the template wrote
        return text + (prefix or "")

    def _encode(self, text: str) -> list[int]:
        with self._encoding:
            return list(self._tokenizer.encode(text, add_special_tokens=False))

    def _conversation(self, turns: tuple[Message, ...], image: bool) -> list[dict[str, Any]]:
        last_user = max((i for i, turn in enumerate(turns) if turn.role == "user"), default=-1)
        return [self._turn(turn, image and i == last_user) for i, turn in enumerate(turns)]

    def _turn(self, turn: Message, image: bool) -> dict[str, Any]:
        if self._as_parts:
            parts = [{"type": "image"}] if image else []
            return {"role": turn.role, "content": [*parts, {"type": "text", "text": turn.text}]}
        return {"role": turn.role, "content": f"{self._placeholder}\n{turn.text}" if image else turn.text}

    def _apply(self, conversation: list[dict[str, Any]], thinking: bool) -> str:
        text = self._tokenizer.apply_chat_template(
            conversation,
            chat_template=self._template,
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=thinking,
            thinking=thinking,
        )
        return str(text)

    def _takes_parts(self) -> bool:
        """Whether the template takes content as a list of parts; others take a string with the placeholder in it."""
        parts: list[dict[str, str]] = [{"type": "image"}] if self._placeholder else []
        turn = {"role": "user", "content": [*parts, {"type": "text", "text": _PROBE}]}
        try:
            text = self._apply([turn], False)
        except Exception:  # a template for strings fails in as many ways as there are templates
            text = ""
        if text.count(_PROBE) == 1 and "'type'" not in text and text.count(self._placeholder or _PROBE) == 1:
            return True
        try:
            text = self._apply([{"role": "user", "content": f"{self._placeholder}\n{_PROBE}"}], False)
        except Exception as error:
            raise ConfigError(f"the model's chat template cannot be used: {error}") from error
        if _PROBE not in text:
            raise ConfigError("the model's chat template leaves out what the user says")
        return False


def load_renderer(config: Any) -> Renderer:
    """The renderer of a model that vLLM has found.

    Args:
      config: vLLM's configuration of the engine.

    Raises:
      ConfigError: the model has no chat template.
    """
    model = config.model_config
    processor = _processor(model)
    tokenizer = getattr(processor, "tokenizer", processor)
    template = getattr(processor, "chat_template", None) or getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("default")
    if not template:
        raise ConfigError(f"model {model.model} has no chat template; choose one that was tuned to follow instructions")
    placeholder = _placeholder(model)
    image_token = _image_token(model.hf_config)
    if (
        image_token is not None
        and list(tokenizer.encode(placeholder, add_special_tokens=False)).count(image_token) != 1
    ):
        image_token = None
    return Renderer(tokenizer, template, placeholder, image_token, model.max_model_len - 1)


def _processor(model: Any) -> Any:
    from transformers import AutoProcessor, AutoTokenizer

    known = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
    try:
        return AutoProcessor.from_pretrained(model.model, **known)
    except (OSError, ValueError, ImportError, TypeError, KeyError):  # models whose processor is vLLM's own
        known["revision"] = model.tokenizer_revision or model.revision
        return AutoTokenizer.from_pretrained(model.tokenizer or model.model, **known)


def _placeholder(model: Any) -> str:
    """What stands for a picture in the prompts of this model, as vLLM knows it."""
    if not model.is_multimodal_model:
        return ""
    from vllm.model_executor.model_loader import get_model_cls

    return str(get_model_cls(model).get_placeholder_str("image", 1) or "")


def _image_token(config: Any) -> int | None:
    found = getattr(config, "image_token_id", None) or getattr(config, "image_token_index", None)
    return found if isinstance(found, int) else None


def _open_turn(request: Request) -> str | None:
    """The assistant's turn that is to be continued, if there is one."""
    last = request.messages[-1] if request.messages else None
    return last.text if last and last.role == "assistant" else None


def _ends_in_thought(text: str) -> bool:
    return text.rstrip().endswith(_THINK)
