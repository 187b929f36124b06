"""Make a vision-language model of a quarter million random weights: Idefics3, the smallest that vLLM runs.

Usage: python tests/tiny_vlm/make.py FOLDER

The tokenizer is byte-level, so any text goes through it whole; merges for the prompts keep those short, and each
word that the model is to read is one token, so that to compare two of them is to compare two tokens.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from lessons import INSTRUCTIONS, QUESTIONS, SENTENCE, STEPS, VERDICTS, WORDS
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Idefics3Config, Idefics3ForConditionalGeneration, LlamaConfig, PreTrainedTokenizerFast

TEMPLATE = (
    "{%- for m in messages -%}"
    "{{- '<|im_start|>' + m['role'] + '\n' -}}"
    "{%- if m['content'] is string -%}{{- m['content'] -}}"
    "{%- else -%}{%- for part in m['content'] -%}"
    "{%- if part['type'] in ('image', 'image_url') -%}{{- '<image>' -}}"
    "{%- elif part['type'] == 'text' -%}{{- part['text'] -}}{%- endif -%}"
    "{%- endfor -%}{%- endif -%}"
    "{{- '<|im_end|>\n' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}"
    "{%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think>\n\n</think>\n\n' -}}{%- endif -%}"
    "{%- endif -%}"
)
END, PAD = "<|im_end|>", "<|endoftext|>"
SPECIAL = (PAD, "<|im_start|>", END, "<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
POSITIONS = 8192
SIDE, PATCH = 56, 14


def make_tokenizer(texts: list[str], size: int = 640) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer with merges for `texts`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.add_tokens(["<think>", "</think>"])  # added, not special: they stay visible in the text
    tokenizer.add_tokens([AddedToken(word, single_word=True, normalized=False) for word in (*WORDS, *VERDICTS)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        model_max_length=POSITIONS,
        clean_up_tokenization_spaces=False,
        additional_special_tokens=list(SPECIAL),
    )
    fast.chat_template = TEMPLATE
    return fast


def make_config(tokenizer: PreTrainedTokenizerFast) -> Idefics3Config:
    """Two layers of eyes, two layers of text, four tokens a picture."""
    end, pad, image = (tokenizer.convert_tokens_to_ids(token) for token in (END, PAD, "<image>"))
    text = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=False,
        bos_token_id=pad,
        eos_token_id=end,
        pad_token_id=pad,
    )
    vision = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": SIDE,
        "patch_size": PATCH,
        "num_channels": 3,
    }
    return Idefics3Config(
        vision_config=vision,
        text_config=text,
        image_token_id=image,
        scale_factor=2,
        tie_word_embeddings=False,
        pad_token_id=pad,
    )


def write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


def write_processor(folder: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    """The tokenizer and how pictures become pixels: whole, scaled to the side of the eye."""
    tokenizer.save_pretrained(folder)
    side = {"longest_edge": SIDE}
    pixels = {
        "image_processor_type": "Idefics3ImageProcessor",
        "processor_class": "Idefics3Processor",
        "do_image_splitting": False,
        "size": side,
        "max_image_size": side,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
        **dict.fromkeys(("do_resize", "do_rescale", "do_normalize", "do_pad", "do_convert_rgb"), True),
    }
    write_json(folder / "preprocessor_config.json", pixels)
    write_json(folder / "processor_config.json", {"processor_class": "Idefics3Processor", "image_seq_len": 4})
    end, pad = tokenizer.convert_tokens_to_ids(END), tokenizer.convert_tokens_to_ids(PAD)
    write_json(folder / "generation_config.json", {"eos_token_id": end, "pad_token_id": pad})


def make(folder: Path, texts: list[str], seed: int = 0) -> None:
    """Write tokenizer, processor and random weights, the same bytes each time.

    Args:
      folder: where to.
      texts: further prompts that should be short in tokens.
      seed: of the weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    tokenizer = make_tokenizer([*QUESTIONS, *INSTRUCTIONS, SENTENCE, *STEPS, *texts])
    write_processor(folder, tokenizer)
    model = Idefics3ForConditionalGeneration(make_config(tokenizer))
    model.to(torch.bfloat16).save_pretrained(folder, safe_serialization=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]), [])
