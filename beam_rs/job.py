"""A checked configuration, built: the pieces that the pipeline is wired from. Picklable, and nothing is loaded."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from beam_rs import prompts, registry
from beam_rs.cleaning import RULES, Rule
from beam_rs.config import Config
from beam_rs.engines import ENGINES, Engine
from beam_rs.errors import ConfigError
from beam_rs.images import Limits, Place
from beam_rs.items import References
from beam_rs.judge import JudgeSettings
from beam_rs.keys import canonical, digest, request
from beam_rs.samples import Accept
from beam_rs.schema import Case, Item, Request, Sampling
from beam_rs.settings import Family, Settings
from beam_rs.verifiers import VERIFIERS, Verifier


@dataclass(frozen=True)
class FamilyPlan:
    """How the items of one family are asked and verified.

    Attributes:
      name: of the family.
      verifier: its protocol.
      choice_verifier: the protocol of its multiple-choice items.
      instruction: what is appended to the question.
      system: text of the system turn, or empty.
      sampling: how answers are drawn.
      samples: answers an item.
      accept: which of several admitted answers enter the splits.
    """

    name: str
    verifier: Verifier
    choice_verifier: Verifier
    instruction: str = ""
    system: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    samples: int = 1
    accept: Accept = "first"


@dataclass(frozen=True)
class Job:
    """Everything a run needs to know.

    Attributes:
      families: plans by name.
      rules: cleaning rules, in order.
      place: where images may lie.
      limits: what an image may cost.
      engine: what answers, not started.
      judge: settings of the judge, or None where it is off.
      judge_engine: what judges, not started; equal to `engine` unless configured apart.
      policy: name of the cleaning policy.
      output: folder or URI prefix of the output.
      dead_letters: largest share of malformed, undecodable and failed items that is no failure.
      fingerprint: what tells this run from others in the same folder.
    """

    families: Mapping[str, FamilyPlan]
    rules: tuple[Rule, ...]
    place: Place
    limits: Limits
    engine: Engine
    judge: JudgeSettings | None
    judge_engine: Engine
    policy: str
    output: str
    dead_letters: float
    fingerprint: str
    policy_versions: Mapping[str, str] = field(default_factory=dict)

    def verifier(self, item: Item) -> Verifier:
        """The protocol of an item: its family's, unless a cleaning rule chose multiple choice."""
        plan = self.families[item.family]
        return plan.choice_verifier if item.verifier == "mcq" else plan.verifier

    def asked(self, item: Item) -> str:
        """The exact text of the user turn."""
        return prompts.asked(item.question, self.families[item.family].instruction)

    def case(self, item: Item) -> Case:
        """What an answer to the item is compared with."""
        width, height = (item.ref.width, item.ref.height) if item.ref else (0, 0)
        return Case(item.references, self.asked(item), item.options, width, height)

    def request(self, item: Item, sample: int = 0) -> Request:
        """One request of an item."""
        plan = self.families[item.family]
        turns = prompts.messages(self.asked(item), plan.system)
        return request(
            item.id,
            item.ref,
            turns,
            plan.sampling,
            sample,
            model=self.engine.model,
            revision=self.engine.revision,
            pixels=self.engine.pixels,
        )

    @property
    def references(self) -> dict[str, References]:
        """How each family reads what stands under `answer`."""
        return {name: plan.verifier.references for name, plan in self.families.items()}


def build(config: Config) -> Job:
    """The job of a configuration.

    Raises:
      ConfigError: an unknown verifier, rule or engine, or a parameter that it does not take, with file and line.
    """
    settings = config.settings
    engine = _at(config, ("engine",), lambda: registry.build(ENGINES, settings.engine, "engine"))
    judge_engine, judge = _judge(config, engine)
    rules = tuple(_rules(config))
    return Job(
        families={name: _family(config, name, family) for name, family in settings.families.items()},
        rules=rules,
        place=Place(settings.images.root, tuple(settings.images.allow)),
        limits=Limits(settings.images.max_pixels, settings.images.max_bytes, tuple(settings.images.formats)),
        engine=engine,
        judge=judge,
        judge_engine=judge_engine,
        policy=str(settings.cleaning.get("policy", "v1")),
        output=settings.output,
        dead_letters=settings.limits.dead_letters,
        fingerprint=config.fingerprint(_identity(engine), [judge and canonical(vars(judge)), _identity(judge_engine)]),
        policy_versions={name: _policy_version(settings, name) for name in settings.families},
    )


def _identity(engine: Engine) -> dict[str, Any]:
    return {"model": engine.model, "revision": engine.revision, "pixels": engine.pixels}


def _judge(config: Config, engine: Engine) -> tuple[Engine, JudgeSettings | None]:
    """The judging engine and its settings: on where the engine can judge, unless the configuration decides."""
    section = config.settings.judge
    settings = _at(config, ("judge",), lambda: registry.construct(JudgeSettings, section, "judge"))
    judge_engine = engine
    if settings.engine is not None:
        judge_engine = _at(config, ("judge", "engine"), lambda: registry.build(ENGINES, settings.engine, "engine"))
    enabled = settings.enabled if "enabled" in section else judge_engine.judges
    if enabled and not judge_engine.judges:
        raise config.error(
            ("judge", "enabled"), f"engine {judge_engine.name!r} cannot judge; set judge.engine or false"
        )
    return judge_engine, replace(settings, enabled=True, engine=None) if enabled else None


def _family(config: Config, name: str, family: Family) -> FamilyPlan:
    at = ("families", name, "verifier")
    verifier = _at(config, at, lambda: registry.build(VERIFIERS, family.verifier, "verifier"))
    choice = verifier if verifier.name == "mcq" else registry.build(VERIFIERS, "mcq", "verifier")
    general = config.settings.sampling.model_dump()
    merged = {**general, **{k: v for k, v in family.sampling.model_dump().items() if v is not None}}
    samples, accept, stop = merged.pop("samples"), merged.pop("accept"), tuple(merged.pop("stop"))
    if samples > 1 and merged["temperature"] == 0:
        raise config.error(
            ("families", name), f"{samples} samples at temperature 0 are all the same; raise temperature"
        )
    sampling = Sampling(**merged, stop=stop)
    return FamilyPlan(name, verifier, choice, family.instruction, family.system, sampling, samples, accept)


def _rules(config: Config) -> list[Rule]:
    """The configured rules: those of the table in its order, then one's own in the order of the file."""
    section = {key: value for key, value in config.settings.cleaning.items() if key != "policy"}
    families = config.settings.families
    genuine = {
        name: _at(config, ("families", name, "genuine"), lambda family=family: _genuine(family))
        for name, family in families.items()
        if family.genuine
    }
    derived: dict[str, dict[str, Any]] = {
        "purity": {"families": genuine},
        "choices": {
            "index_bases": {n: f.choices.index_base for n, f in families.items() if f.choices.index_base is not None}
        },
    }
    section = {"choices": {}, **({"purity": {}} if genuine else {}), **section}
    rules = []
    for name in [*RULES, *(key for key in section if key not in RULES)]:
        value = section.get(name)
        if value is None or value is False:
            continue
        if not isinstance(value, (dict, bool)):
            raise config.error(("cleaning", name), f"expected parameters or false, got {value!r}")
        spec = {"name": name, **(value if isinstance(value, dict) else {}), **derived.get(name, {})}
        rules.append(_at(config, ("cleaning", name), lambda spec=spec: registry.build(RULES, spec, "cleaning rule")))
    return rules


def _genuine(family: Family) -> Any:
    from beam_rs.cleaning.purity import Genuine

    values: dict[str, Any] = family.genuine.model_dump() if family.genuine else {}
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return Genuine(**given)


def _policy_version(settings: Settings, family: str) -> str:
    """A short name for everything that cleaning decided by, but for the places of files."""
    section = {key: value for key, value in settings.cleaning.items() if key != "provenance"}
    section["provenance"] = "provenance" in settings.cleaning
    plan = settings.families[family]
    genuine = plan.genuine.model_dump(mode="json") if plan.genuine else None
    return digest(canonical([section, genuine, plan.choices.model_dump(mode="json")]))[:12]


def _at(config: Config, path: tuple[str | int, ...], make: Any) -> Any:
    """What `make` returns; its error with file and line."""
    try:
        return make()
    except ConfigError as error:
        raise config.error(path, str(error)) from error


def parameters(text: str) -> dict[str, Any]:
    """A verifier's parameters from their JSON text in a row."""
    value: dict[str, Any] = json.loads(text)
    return value
