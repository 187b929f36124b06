"""What a configuration may pass on to vLLM, checked before vLLM is even imported."""

import ast
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rapidfuzz import fuzz, process

from beam_rs.errors import ConfigError, MissingExtra

OURS: Final = {
    "model": "set engine.model",
    "revision": "set engine.revision",
    "reasoning_parser": "thoughts are split here, and a parser would take continued answers for thoughts",
    "disable_log_stats": "its figures feed the watchdog",
    "seed": "every request brings its own",
}
"""Options of vLLM that are not the user's, and why."""

ENVIRONMENT: Final = {
    "VLLM_WORKER_MULTIPROC_METHOD": "spawn",  # a fork of a process with threads may hang
    "VLLM_HOST_IP": "127.0.0.1",  # nothing listens beyond this host unless the user says so
    "GLOO_SOCKET_IFNAME": "lo",
    "VLLM_NO_USAGE_STATS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""Set for the engine's processes where the user has not set them."""


def known_options() -> list[str]:
    """Names of the fields of the installed vLLM's engine arguments, read from its source.

    Raises:
      MissingExtra: vLLM is not installed.
    """
    spec = importlib.util.find_spec("vllm")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("vllm", "vllm")
    source = Path(next(iter(spec.submodule_search_locations))) / "engine" / "arg_utils.py"
    classes = [node for node in ast.parse(source.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]
    return sorted(
        line.target.id
        for found in classes
        if found.name in ("EngineArgs", "AsyncEngineArgs")
        for line in found.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    )


def check_options(options: Mapping[str, Any]) -> None:
    """Accept options that vLLM knows and the user may set.

    Raises:
      ConfigError: any other, with the nearest known name.
      MissingExtra: vLLM is not installed.
    """
    known = known_options()
    for name in options:
        if name in OURS:
            raise ConfigError(f"engine 'vllm': options.{name} is not to be set: {OURS[name]}")
        if name not in known:
            near = process.extractOne(str(name), known, scorer=fuzz.ratio)  # most names share a word with many others
            raise ConfigError(f"engine 'vllm': vLLM has no option {name!r}; did you mean {near[0]!r}?")


def engine_args(model: str, revision: str, window: int, options: Mapping[str, Any]) -> Any:
    """The checked `AsyncEngineArgs`: the user's options over our defaults.

    Args:
      model: name or local folder.
      revision: branch, tag or commit; empty for the default one.
      window: requests that the engine is to run at once.
      options: of the user.

    Raises:
      ConfigError: an option or a value that vLLM refuses.
      MissingExtra: vLLM is not installed.
    """
    check_options(options)
    from vllm.engine.arg_utils import AsyncEngineArgs

    defaults: dict[str, Any] = {"max_num_seqs": window, "limit_mm_per_prompt": {"image": 1}, **_cpu_defaults(options)}
    try:
        return AsyncEngineArgs(
            model=model, revision=revision or None, disable_log_stats=True, **{**defaults, **options}
        )
    except (TypeError, ValueError) as error:
        raise ConfigError(f"engine 'vllm': vLLM refuses its options: {error}") from error


def engine_config(args: Any) -> Any:
    """The engine's configuration as vLLM makes it, which also finds the model and reads its `config.json`.

    Raises:
      ConfigError: values that do not go together, or no such model.
    """
    from vllm.usage.usage_lib import UsageContext

    try:
        # the defaults of the batch class: larger prefills than a server takes, for throughput
        return args.create_engine_config(UsageContext.LLM_CLASS)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise ConfigError(f"engine 'vllm' with model {args.model!r}: {_first_lines(str(error))}") from error


def _cpu_defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Without a GPU: no chunked prefill, which crashes there on requests with a seed of their own."""
    from vllm.platforms import current_platform

    if not current_platform.is_cpu() or options.get("enable_chunked_prefill") is not None:
        return {}
    length = options.get("max_model_len")
    tokens = {"max_num_batched_tokens": max(4096, int(length))} if isinstance(length, int) else {}
    return {"enable_chunked_prefill": False, **tokens}


def _first_lines(text: str, limit: int = 600) -> str:
    return text if len(text) <= limit else text[:limit] + "…"
