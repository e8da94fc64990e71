"""What goes over the wire. Made by tools/generate.py from server/openapi.json; do not edit."""

from __future__ import annotations

from typing import Any, Dict, Final, List, Literal, Optional, Tuple, TypedDict, Union

# The method and the path of each operation.
ROUTES: Final[Dict[str, Tuple[str, str]]] = {
    "profile": ("GET", "/debug/pprof/{name}"),
    "healthz": ("GET", "/healthz"),
    "metrics": ("GET", "/metrics"),
    "readyz": ("GET", "/readyz"),
    "trees": ("GET", "/v1/trees"),
    "tree": ("GET", "/v1/trees/{tree}"),
    "briefs": ("GET", "/v1/trees/{tree}/briefs"),
    "expect": ("POST", "/v1/trees/{tree}/briefs"),
    "checks": ("POST", "/v1/trees/{tree}/checks"),
    "context": ("POST", "/v1/trees/{tree}/context"),
    "effect": ("GET", "/v1/trees/{tree}/effect"),
    "record": ("POST", "/v1/trees/{tree}/evaluations"),
    "evolve": ("POST", "/v1/trees/{tree}/evolve"),
    "explain": ("POST", "/v1/trees/{tree}/explain"),
    "export": ("GET", "/v1/trees/{tree}/export"),
    "facts": ("GET", "/v1/trees/{tree}/facts"),
    "stateFact": ("POST", "/v1/trees/{tree}/facts"),
    "confirmFact": ("POST", "/v1/trees/{tree}/facts/{id}/confirm"),
    "contradictFact": ("POST", "/v1/trees/{tree}/facts/{id}/contradict"),
    "editFact": ("POST", "/v1/trees/{tree}/facts/{id}/edit"),
    "forgetFact": ("POST", "/v1/trees/{tree}/facts/{id}/forget"),
    "settleFact": ("POST", "/v1/trees/{tree}/facts/{id}/settle"),
    "guide": ("POST", "/v1/trees/{tree}/guidance"),
    "import": ("POST", "/v1/trees/{tree}/import"),
    "inbox": ("GET", "/v1/trees/{tree}/inbox"),
    "label": ("POST", "/v1/trees/{tree}/inbox"),
    "jobs": ("GET", "/v1/trees/{tree}/jobs"),
    "job": ("GET", "/v1/trees/{tree}/jobs/{id}"),
    "jobEvents": ("GET", "/v1/trees/{tree}/jobs/{id}/events"),
    "teach": ("POST", "/v1/trees/{tree}/lessons"),
    "walk": ("POST", "/v1/trees/{tree}/map"),
    "coverage": ("GET", "/v1/trees/{tree}/map/coverage"),
    "findElement": ("GET", "/v1/trees/{tree}/map/find"),
    "gaps": ("GET", "/v1/trees/{tree}/map/gaps"),
    "page": ("GET", "/v1/trees/{tree}/map/page"),
    "path": ("GET", "/v1/trees/{tree}/map/path"),
    "requirements": ("GET", "/v1/trees/{tree}/map/requirements"),
    "mcp": ("POST", "/v1/trees/{tree}/mcp"),
    "nodes": ("GET", "/v1/trees/{tree}/nodes"),
    "node": ("GET", "/v1/trees/{tree}/nodes/{id}"),
    "about": ("POST", "/v1/trees/{tree}/nodes/{id}/about"),
    "ban": ("POST", "/v1/trees/{tree}/nodes/{id}/ban"),
    "edit": ("POST", "/v1/trees/{tree}/nodes/{id}/edit"),
    "forget": ("POST", "/v1/trees/{tree}/nodes/{id}/forget"),
    "pin": ("POST", "/v1/trees/{tree}/nodes/{id}/pin"),
    "undo": ("POST", "/v1/trees/{tree}/nodes/{id}/undo"),
    "promote": ("POST", "/v1/trees/{tree}/promote"),
    "relabel": ("POST", "/v1/trees/{tree}/relabel"),
    "review": ("GET", "/v1/trees/{tree}/review"),
    "decide": ("POST", "/v1/trees/{tree}/review"),
    "risk": ("POST", "/v1/trees/{tree}/risk"),
    "runs": ("GET", "/v1/trees/{tree}/runs"),
    "startRun": ("POST", "/v1/trees/{tree}/runs"),
    "run": ("GET", "/v1/trees/{tree}/runs/{id}"),
    "updateRun": ("POST", "/v1/trees/{tree}/runs/{id}"),
    "resumeRun": ("GET", "/v1/trees/{tree}/runs/{id}/resume"),
    "search": ("GET", "/v1/trees/{tree}/search"),
    "stats": ("GET", "/v1/trees/{tree}/stats"),
}


# The longest body of each operation in bytes.
LONGEST: Final[Dict[str, int]] = {
    "expect": 16777216,
    "checks": 4194304,
    "context": 4194304,
    "record": 16777216,
    "evolve": 1048576,
    "explain": 4194304,
    "stateFact": 1048576,
    "confirmFact": 1048576,
    "contradictFact": 1048576,
    "editFact": 1048576,
    "forgetFact": 1048576,
    "settleFact": 1048576,
    "guide": 4194304,
    "import": 268435456,
    "label": 1048576,
    "teach": 4194304,
    "walk": 4194304,
    "mcp": 8388608,
    "about": 1048576,
    "ban": 1048576,
    "edit": 1048576,
    "forget": 1048576,
    "pin": 1048576,
    "undo": 1048576,
    "promote": 1048576,
    "relabel": 4194304,
    "decide": 1048576,
    "risk": 4194304,
    "startRun": 1048576,
    "updateRun": 4194304,
}


class AblationStats(TypedDict):
    blame: Dict[str, int]
    blamed: Optional[List[Blamed]]
    n: int


About = TypedDict("About", {
    "is": 'Optional[List[str]]',
    "not": 'Optional[List[str]]',
}, total=False)


AboutBody = TypedDict("AboutBody", {
    "by": 'str',
    "dryRun": 'bool',
    "is": 'Optional[List[str]]',
    "not": 'Optional[List[str]]',
    "over": 'bool',
    "why": 'str',
}, total=False)


class _Action(TypedDict):
    id: str
    said: str


class Action(_Action, total=False):
    before: Optional[List[Before]]
    by: str
    evaluation: str
    job: str
    node: str
    purged: bool
    undoes: str
    verdict: Verdict
    verdicts: Optional[List[Verdict]]
    why: str


class Added(TypedDict):
    elsewhere: int
    known: int
    sightings: int
    walks: int


class Agent(TypedDict, total=False):
    model: str
    name: str
    version: str


class Analyses(TypedDict):
    again: int
    byModel: int
    byRules: int
    models: Dict[str, int]


class Apart(TypedDict):
    environment: int
    healed: int
    n: int
    named: int
    retried: int


class _Assertion(TypedDict):
    aria: str
    cases: Optional[List[str]]
    errorType: str
    id: str
    kind: str
    later: bool
    playwright: str
    says: str


class Assertion(_Assertion, total=False):
    check: str
    got: str
    line: int
    look: Look
    name: str
    role: str
    state: str
    want: str
    why: str


class _Before(TypedDict):
    id: str


class Before(_Before, total=False):
    archivedFor: str
    case: CaseData
    content: Content
    errorType: str
    gained: str
    mark: str
    occurrences: Optional[List[Occurrence]]
    provenance: Provenance
    status: str
    supersededBy: str
    taught: Taught
    word: Decision


Blamed = TypedDict("Blamed", {
    "e": 'float',
    "memory": 'str',
    "with": 'int',
    "without": 'int',
})


class Briefs(TypedDict):
    new: int
    open: int
    picks: int
    read: int
    tests: int
    told: int


class _Call(TypedDict):
    method: str
    path: str
    times: int


class Call(_Call, total=False):
    pages: Optional[List[str]]
    params: Optional[List[str]]
    statuses: Optional[List[int]]
    tests: Optional[List[str]]


class _CaseData(TypedDict):
    actualError: str
    agentJudgment: str
    avoidanceHint: str
    errorReason: str
    testCase: TestCase


class CaseData(_CaseData, total=False):
    about: About
    evaluatorReason: str
    evidence: Evidence
    misses: Optional[List[Miss]]


class _Change(TypedDict):
    by: str
    key: str
    node: Node
    op: str
    why: str


class Change(_Change, total=False):
    basis: Dict[str, int]


class Check(TypedDict):
    confidence: float
    test: str


class Checks(TypedDict):
    # Those with code first
    checks: Optional[List[Assertion]]


class Coming(TypedDict, total=False):
    # Tests that will be run
    tests: Optional[List[ComingTest]]


class _ComingTest(TypedDict):
    # What the agent will be asked
    prompt: str


class ComingTest(_ComingTest, total=False):
    # Of the test
    caseId: str
    # Where in the product
    scene: Scene
    # Which product and suite
    scope: Scope


class Conflict(TypedDict):
    ours: str
    part: str
    theirs: str


class Considered(TypedDict):
    # Names the reason
    code: str
    direction: str
    errorType: str
    id: str
    reason: str
    # How near it is, 0 to 1
    rel: float
    score: float
    signals: Dict[str, Signal]
    taken: bool
    type: str


class _Content(TypedDict):
    confidence: float
    description: str
    guidance: str


class Content(_Content, total=False):
    appliesWhen: Optional[List[str]]
    lessons: Optional[List[Lesson]]
    notWhen: Optional[List[str]]
    other: Translation
    scenes: Optional[List[str]]
    title: str


class _Context(TypedDict):
    budget: int
    parts: Optional[List[ContextPart]]
    text: str
    tokens: int
    trial: str


class Context(_Context, total=False):
    note: str


class _ContextPart(TypedDict):
    because: str
    ring: str


class ContextPart(_ContextPart, total=False):
    id: str
    text: str


class _ContextQuestion(TypedDict):
    # What the agent is asked to test
    prompt: str


class ContextQuestion(_ContextQuestion, total=False):
    # Who will run, for the ledger
    agent: Agent
    # Most tokens of the text
    budget: int
    # Ids of memories that must not be used
    exclude: Optional[List[str]]
    # Tests whose memories must not be used
    excludeTests: Optional[List[str]]
    # Of the guidance; left out: the prompt's
    lang: Literal["zh", "en"]
    # What can be seen now
    observation: str
    # Wait so long for a reader
    readMs: int
    # Which run; about one left out no chance decides
    runId: str
    # Where in the product
    scene: Scene
    # Which product, suite and test
    scope: Scope
    # What is to be done next within a run
    step: str
    # From 1
    stepNumber: int
    # Of an earlier answer for this run
    trial: str


class Counters(TypedDict):
    correct: int
    used: int


class _Coverage(TypedDict):
    calls: Share
    elements: Share
    flows: Share
    left: int
    links: int
    pages: Share
    product: str
    requirements: Share
    selectors: int


class Coverage(_Coverage, total=False):
    missing: int


class _Credit(TypedDict):
    before: float
    effect: float
    pHarm: float
    right: int
    runs: int
    said: float
    sd: float


class Credit(_Credit, total=False):
    confirmed: int
    held: Held
    notOn: Optional[List[str]]
    refreshed: int
    repeated: int
    tests: int


class _CurationKnown(TypedDict):
    at: str
    correct: bool
    evaluation: str
    labelled: bool


class CurationKnown(_CurationKnown, total=False):
    agent: Agent
    attempt: int
    by: str
    case_id: str
    direction: str
    excuse: str
    features: str
    mends: bool
    node: str
    product: str
    run_id: str
    scene: Scene


class _Decision(TypedDict):
    at: str
    said: str


class Decision(_Decision, total=False):
    by: str
    fresh: bool
    hash: str
    purged: bool
    why: str


class _Draft(TypedDict):
    description: str
    lessons: Optional[List[Lesson]]
    title: str


class Draft(_Draft, total=False):
    appliesWhen: Optional[List[str]]
    notWhen: Optional[List[str]]
    other: Translation


class _EditBody(TypedDict):
    # What the lesson says from now on; it has to pass the gates
    lesson: Draft


class EditBody(_EditBody, total=False):
    # The person who decides; left out: the name of the token
    by: str
    # Return what would change, write nothing
    dryRun: bool
    # Decide although another person decided otherwise, or take their decision back
    over: bool
    # A sentence; it is stored
    why: str


class _Effect(TypedDict):
    effect: float
    id: str
    pHarm: float
    right: int
    runs: int
    sd: float
    tests: int
    type: str


class Effect(_Effect, total=False):
    eHarm: float


_EffectReportMust = TypedDict("_EffectReportMust", {
    "asked": 'int',
    "compared": 'int',
    "eHarm": 'float',
    "eHelp": 'float',
    "falseFail": 'Lift',
    "falsePass": 'Lift',
    "found": 'int',
    "guided": 'int',
    "high": 'float',
    "lift": 'float',
    "low": 'float',
    "m": 'int',
    "n": 'int',
    "none": 'int',
    "other": 'int',
    "outcomes": 'Outcomes',
    "proven": 'bool',
    "questions": 'int',
    "repeat": 'Lift',
    "right": 'Right',
    "runs": 'int',
    "state": 'str',
    "tests": 'int',
    "tooFew": 'int',
    "verdict": 'str',
    "with": 'float',
    "without": 'float',
})


_EffectReportMay = TypedDict("_EffectReportMay", {
    "control": 'Lift',
    "harmful": 'Optional[List[Effect]]',
    "helpful": 'Optional[List[Effect]]',
    "needed": 'int',
    "since": 'str',
    "types": 'Optional[List[Typed]]',
}, total=False)


class EffectReport(_EffectReportMust, _EffectReportMay):
    pass


class _Element(TypedDict):
    seen: int


class Element(_Element, total=False):
    name: str
    place: str
    role: str
    tests: Optional[List[str]]


class Elements(TypedDict):
    # The best first
    found: Optional[List[Found]]


class _Elsewhere(TypedDict):
    cases: int
    runs: int
    tests: int


class Elsewhere(_Elsewhere, total=False):
    ids: Optional[List[str]]


class _Episode(TypedDict):
    began: str
    goal: str
    id: str
    last: str
    score: float
    state: str
    updates: int


class Episode(_Episode, total=False):
    agents: Optional[List[str]]
    build: str
    feedback: Optional[List[Feedback]]
    lastBy: str
    left: int
    notes: Optional[List[Note]]
    product: str
    tasks: Optional[List[Task]]
    test: str
    tested: Optional[List[Tested]]
    values: Dict[str, str]
    visited: Optional[List[Visit]]
    why: str


class _Evaluation(TypedDict):
    judgment: Any
    prompt: str


class Evaluation(_Evaluation, total=False):
    agent: Agent
    at: str
    attempt: int
    case_id: str
    correct: bool
    direction: str
    evidence: Evidence
    excuse: str
    ground_truth: Any
    id: str
    observation: str
    reason: str
    run_id: str
    scene: Scene
    scope: Scope
    trial: str


class Evidence(TypedDict, total=False):
    failure: str
    links: Optional[List[Link]]
    pictures: Optional[List[Picture]]
    steps: Optional[List[TestStep]]


class Evolve(TypedDict, total=False):
    # Plan, write nothing, ask no model
    dryRun: bool
    # Archive nothing
    keepAll: bool
    # Of the model
    maxCalls: int
    # This error type alone
    only: str
    # New lessons wait for a person
    review: bool


class Evolved(TypedDict):
    again: int
    anew: Optional[List[str]]
    calls: int
    cost: float
    forgotten: Optional[List[Forgotten]]
    judged: Optional[List[Revised]]
    plans: Optional[List[Plan]]
    revived: Optional[List[str]]
    usage: Usage
    waiting: int


_ExpectationMust = TypedDict("_ExpectationMust", {
    "from": 'str',
    "property": 'str',
    "where": 'Where',
})


_ExpectationMay = TypedDict("_ExpectationMay", {
    "expected": 'str',
    "seen": 'str',
}, total=False)


class Expectation(_ExpectationMust, _ExpectationMay):
    pass


class _Explanation(TypedDict):
    abstained: bool
    # Best first
    considered: Optional[List[Considered]]
    hash: str
    items: Optional[List[Item]]
    nearest: Union[Item, None]
    text: str
    trial: str


class Explanation(_Explanation, total=False):
    arm: str
    facts: Optional[List[ToldFact]]
    note: str
    # What the observation does not settle, and why
    undecided: Optional[List[ToldFact]]
    unformed: int
    withheld: str
    wording: str


_FactMust = TypedDict("_FactMust", {
    "from": 'str',
    "given": 'int',
    "id": 'str',
    "kind": 'str',
    "n": 'int',
    "since": 'str',
    "state": 'str',
    "statement": 'str',
    "trust": 'float',
    "used": 'str',
})


_FactMay = TypedDict("_FactMay", {
    "against": 'Optional[List[str]]',
    "agent": 'str',
    "builds": 'Optional[List[str]]',
    "by": 'str',
    "cases": 'Optional[List[str]]',
    "fixed": 'str',
    "missed": 'int',
    "pages": 'Optional[List[str]]',
    "people": 'Optional[List[Vote]]',
    "right": 'int',
    "scope": 'Scope',
    "supersededBy": 'str',
    "why": 'str',
}, total=False)


class Fact(_FactMust, _FactMay):
    pass


class FactPage(TypedDict):
    # What people disagree on first, then what was given to most runs
    facts: Optional[List[Fact]]
    # How many there are in all
    total: int


class _Feedback(TypedDict):
    at: str
    rating: int


class Feedback(_Feedback, total=False):
    by: str
    text: str


class _Find(TypedDict):
    by: Literal["role", "label", "placeholder", "text"]
    name: str


class Find(_Find, total=False):
    # An ARIA role, where by is role
    role: str


class ForgetBody(TypedDict, total=False):
    # The person who decides; left out: the name of the token
    by: str
    # Return what would change, write nothing
    dryRun: bool
    # Decide although another person decided otherwise, or take their decision back
    over: bool
    # Remove the bytes too: this cannot be taken back
    purge: bool
    # A sentence; it is stored
    why: str


class Forgotten(TypedDict):
    node: Node
    reason: str
    why: str


class _Found(TypedDict):
    page: str
    score: float
    selector: str
    tried: int
    trust: float
    worked: int


class Found(_Found, total=False):
    build: str
    do: str
    meanMs: int
    name: str
    p90Ms: int
    role: str


class _Gap(TypedDict):
    count: int
    kind: str
    risk: float


class Gap(_Gap, total=False):
    name: str
    page: str
    role: str


class Gaps(TypedDict):
    # How many there are
    all: int
    # The riskiest first
    gaps: Optional[List[Gap]]


class _Group(TypedDict):
    cases: Optional[List[str]]
    cohesion: float
    confidence: float
    recent: int
    tests: int


class Group(_Group, total=False):
    apart: str
    banned: bool
    check: str
    leftOut: str
    missing: Optional[List[Lack]]


class _Guidance(TypedDict):
    abstained: bool
    hash: str
    items: Optional[List[Item]]
    nearest: Union[Item, None]
    text: str
    trial: str


class Guidance(_Guidance, total=False):
    arm: str
    facts: Optional[List[ToldFact]]
    note: str
    unformed: int
    withheld: str
    wording: str


class _Health(TypedDict):
    # degraded: it answers, and something has to be done
    status: Literal["ok", "degraded", "closing"]


class Health(_Health, total=False):
    # What has to be done
    problems: Optional[List[str]]


class Held(TypedDict):
    since: str
    was: str
    why: str


class Hits(TypedDict):
    # Of several kinds in turn, the best of each first
    hits: Optional[List[SearchHit]]


class Imported(TypedDict):
    counts: Dict[str, int]
    dryRun: bool
    # New facts: no run is given them before a person confirms them
    facts: int
    # Facts that break a law
    factsRefused: int
    # Those that are not the same as here, at most 1000
    items: Optional[List[NodePlan]]


class Inbox(TypedDict):
    expected: float
    scored: int
    total: int
    waiting: Optional[List[Unlabelled]]


class Info(TypedDict):
    bytes: int
    dead: int
    entries: int
    evaluations: int
    format: str
    nodes: int
    origin: Origin
    outbox: int
    version: int


class _Item(TypedDict):
    direction: str
    errorType: str
    id: str
    score: float
    signals: Dict[str, Signal]
    type: str


class Item(_Item, total=False):
    because: str
    by: str
    code: str
    reason: str


class _Job(TypedDict):
    added: str
    # Those that have begun; a service that is killed ends one
    attempts: int
    # The name of the token, or schedule
    by: str
    # Of the model, over all attempts
    calls: int
    # Of the calls, by the price that the service has; 0 if it has none
    cost: float
    id: str
    # evolve: the tree learns; brief: coming tests are read
    kind: Literal["evolve", "brief"]
    progress: Progress
    state: Literal["waiting", "running", "done", "failed"]
    tree: str


class Job(_Job, total=False):
    ended: str
    # Of a waiting job: it does not begin earlier
    next: str
    # The service that runs it, or ran it last: host and process
    on: str
    # Why it failed, or the last attempt did; what was done is kept
    problem: Problem
    # What was read of coming tests
    read: Report
    # What was learned
    result: Evolved
    # Of the first attempt
    started: str


class JobList(TypedDict):
    # The newest first
    jobs: Optional[List[Job]]


class Kin(TypedDict):
    id: str
    status: str
    title: str
    type: str


class Known(TypedDict):
    new: int
    open: int
    picks: int
    read: int
    tests: int
    told: int


class _Label(TypedDict):
    # Whether the agent was right; unused with environment
    correct: bool
    # Their ids
    evaluations: Optional[List[str]]


class Label(_Label, total=False):
    # The person who decides; left out: the name of the token
    by: str
    # Left out: as each can be; environment: the runs show nothing about their judge
    direction: Literal["false_pass", "false_fail", "other", "environment"]
    # Return what would change, write nothing
    dryRun: bool
    # Decide although another person decided otherwise, or take their decision back
    over: bool
    # What was missed
    reason: str
    # A sentence; it is stored
    why: str


class _Labelled(TypedDict):
    act: Action
    changes: Optional[List[Change]]
    decided: Optional[List[CurationKnown]]
    stood: Optional[List[Node]]
    unkept: Optional[List[str]]
    verdicts: Optional[List[Verdict]]


class Labelled(_Labelled, total=False):
    against: Optional[List[Node]]
    fact: Fact
    mirrored: Optional[List[Node]]
    redacted: int
    undone: Action
    verdict: Verdict


class Lack(TypedDict):
    have: float
    need: float
    what: str


_LessonMust = TypedDict("_LessonMust", {
    "check": 'str',
    "id": 'str',
})


_LessonMay = TypedDict("_LessonMay", {
    "cites": 'Optional[List[str]]',
    "from": 'str',
    "instead": 'str',
    "kind": 'str',
    "mistake": 'str',
    "scenes": 'Optional[List[str]]',
    "tests": 'int',
    "times": 'int',
    "what": 'Optional[List[str]]',
}, total=False)


class Lesson(_LessonMust, _LessonMay):
    pass


Lift = TypedDict("Lift", {
    "high": 'float',
    "lift": 'float',
    "low": 'float',
    "m": 'int',
    "n": 'int',
    "tests": 'int',
    "with": 'float',
    "without": 'float',
})


class Lineage(TypedDict):
    # Experiences of a case, strategies of an experience
    above: Optional[List[Kin]]
    # What it stands on, at most 1000
    below: Optional[List[Kin]]
    node: Node


class _Link(TypedDict):
    url: str


class Link(_Link, total=False):
    name: str


_LookMust = TypedDict("_LookMust", {
    "find": 'Optional[List[Find]]',
    "is": 'Literal["visible", "attached", "enabled", "checked", "unchecked", "attribute"]',
})


_LookMay = TypedDict("_LookMay", {
    "attribute": 'Literal["type", "aria-selected"]',
    "not": 'bool',
    "value": 'str',
}, total=False)


class Look(_LookMust, _LookMay):
    pass


class Metadata(TypedDict):
    createdAt: str
    successRate: float
    updatedAt: str
    usageCount: int


_MissMust = TypedDict("_MissMust", {
    "errorType": 'str',
    "from": 'str',
    "sure": 'float',
})


_MissMay = TypedDict("_MissMay", {
    "at": 'Optional[List[str]]',
    "cause": 'str',
    "check": 'str',
    "claimed": 'str',
    "expect": 'Optional[List[Expectation]]',
    "how": 'str',
    "instead": 'str',
    "truth": 'str',
    "what": 'Optional[List[str]]',
}, total=False)


class Miss(_MissMust, _MissMay):
    pass


class _Node(TypedDict):
    children: Optional[List[str]]
    content: Content
    direction: str
    errorType: str
    id: str
    lang: str
    level: int
    metadata: Metadata
    occurrences: Optional[List[Occurrence]]
    origin: Origin
    provenance: Provenance
    revision: int
    scene: Scene
    scope: Scope
    status: str
    type: str


class Node(_Node, total=False):
    archivedFor: str
    caseData: CaseData
    counters: Dict[str, Counters]
    credit: Credit
    elsewhere: Elsewhere
    lastChange: str
    mark: str
    parent: str
    supersededBy: str
    taught: Taught
    word: Decision


_NodePlanMust = TypedDict("_NodePlanMust", {
    "class": 'str',
    "errorType": 'str',
    "id": 'str',
    "says": 'str',
    "type": 'str',
})


_NodePlanMay = TypedDict("_NodePlanMay", {
    "conflicts": 'Optional[List[Conflict]]',
    "why": 'str',
}, total=False)


class NodePlan(_NodePlanMust, _NodePlanMay):
    pass


class _Nodes(TypedDict):
    # Sorted by id
    nodes: Optional[List[Node]]


class Nodes(_Nodes, total=False):
    # The cursor of the next page; left out on the last
    next: str


class _Note(TypedDict):
    at: str
    kind: str
    text: str


class Note(_Note, total=False):
    by: str
    page: str
    state: str


class _Occurrence(TypedDict):
    at: str
    evaluation: str


class Occurrence(_Occurrence, total=False):
    case_id: str
    near: bool
    run_id: str


class Origin(TypedDict, total=False):
    id: str
    label: str


class Outcomes(TypedDict):
    again: int
    contrary: int
    flipped: int
    known: int
    open: int
    retries: int
    unknown: int


class _Page(TypedDict):
    count: Share
    last: str
    page: str
    seen: int


class Page(_Page, total=False):
    build: str
    calls: Optional[List[Call]]
    elements: Optional[List[Element]]
    links: Optional[List[Step]]
    params: Optional[List[str]]
    status: int
    tests: Optional[List[str]]
    title: str


class _Picture(TypedDict):
    bytes: int
    height: int
    sha256: str
    type: str
    width: int


class Picture(_Picture, total=False):
    name: str


class Place(TypedDict):
    # Such as body[3].prompt or query.limit
    location: str
    # Continues a sentence that begins with the location
    message: str


class _Plan(TypedDict):
    calls: int
    cases: int
    changes: Optional[List[Change]]
    direction: str
    errorType: str
    groups: Optional[List[Group]]
    rejections: Optional[List[Rejection]]
    rule: Rule
    usage: Usage
    waiting: int


class Plan(_Plan, total=False):
    notes: Optional[List[str]]
    proposals: Optional[List[Proposal]]


class _Problem(TypedDict):
    # What happened, and what to do
    detail: str
    # The HTTP status
    status: int
    # The status in words
    title: str
    # urn:memtree: and a word that stays, for programs
    type: str


class Problem(_Problem, total=False):
    # What cannot be used, place by place
    errors: Optional[List[Place]]


class Progress(TypedDict):
    # Of the model
    calls: int
    # Error types and directions
    done: int
    # Groups of cases that are no lesson yet
    groups: int
    # Lessons that were settled
    jobs: int
    of: int


class Promote(TypedDict, total=False):
    # The person who decides; left out: the name of the token
    by: str
    # Return what would change, write nothing
    dryRun: bool
    # All that wait of this error type
    errorType: str
    ids: Optional[List[str]]
    # All that wait of this origin, by its id or label
    origin: str


class Promotion(TypedDict):
    changes: Optional[List[Change]]
    refused: Optional[List[Node]]


class _Proposal(TypedDict):
    key: str
    node: Node
    tests: int


class Proposal(_Proposal, total=False):
    replaces: Node


class _Provenance(TypedDict):
    by: str


class Provenance(_Provenance, total=False):
    again: bool
    analyst: str
    at: str
    cites: Optional[List[str]]
    job: str
    left: Optional[List[str]]
    lost: Optional[List[str]]
    model: str
    template: str
    when: bool


class _Question(TypedDict):
    # What the agent is asked to test
    prompt: str


class Question(_Question, total=False):
    # Who will run, for the ledger
    agent: Agent
    # Ids of memories that must not be used
    exclude: Optional[List[str]]
    # Tests whose memories must not be used
    excludeTests: Optional[List[str]]
    # Of the guidance; left out: the prompt's
    lang: Literal["zh", "en"]
    # What can be seen now
    observation: str
    # Wait so long for a reader
    readMs: int
    # Which run; about one left out no chance decides
    runId: str
    # Where in the product
    scene: Scene
    # Which product, suite and test
    scope: Scope
    # What is to be done next within a run
    step: str
    # From 1
    stepNumber: int
    # Of an earlier answer for this run
    trial: str


class Queue(TypedDict):
    # Lessons that wait for a word
    proposals: Optional[List[Proposal]]
    # Drafts that a gate or a person refused, and why
    rejected: Optional[List[Rejection]]


_ReasonMust = TypedDict("_ReasonMust", {
    "logOdds": 'float',
    "signal": 'str',
})


_ReasonMay = TypedDict("_ReasonMay", {
    "evaluations": 'Optional[List[str]]',
    "from": 'str',
    "memories": 'Optional[List[str]]',
    "words": 'Optional[List[str]]',
}, total=False)


class Reason(_ReasonMust, _ReasonMay):
    pass


class _Receipt(TypedDict):
    id: str
    status: Literal["accepted", "duplicate", "contradiction"]


class Receipt(_Receipt, total=False):
    # here: on this server, until the database is back
    stored: Literal["here"]


class Recorded(TypedDict):
    # Durable now
    accepted: int
    # Recorded before with the same content
    duplicate: int
    # One for each evaluation, in order
    receipts: Optional[List[Receipt]]


class _Rejection(TypedDict):
    by: str
    direction: str
    errorType: str
    key: str
    members: Optional[List[str]]
    reasons: Optional[List[str]]
    type: str


class Rejection(_Rejection, total=False):
    known: bool
    title: str


class Remedied(TypedDict):
    back: int
    broken: int
    changed: int
    e: float
    high: float
    known: int
    low: float
    mended: int
    n: int
    remedy: str
    stopped: bool


class _Report(TypedDict):
    book: Known
    calls: int
    left: int
    memories: int
    refused: Optional[List[str]]
    tests: int
    told: int
    unsaid: Optional[List[str]]
    usage: Usage


class Report(_Report, total=False):
    why: str


class _Requirement(TypedDict):
    checks: Optional[List[Check]]
    code: str


class Requirement(_Requirement, total=False):
    criteria: Optional[List[str]]
    pages: Optional[List[str]]
    priority: str
    title: str


class Requirements(TypedDict):
    # By code
    requirements: Optional[List[Requirement]]


class _Result(TypedDict):
    act: Action
    changes: Optional[List[Change]]
    stood: Optional[List[Node]]


class Result(_Result, total=False):
    against: Optional[List[Node]]
    fact: Fact
    mirrored: Optional[List[Node]]
    redacted: int
    undone: Action
    verdict: Verdict


class _Resumption(TypedDict):
    idle: int
    next: Optional[List[Task]]
    run: Run


class Resumption(_Resumption, total=False):
    beside: str
    taken: Optional[List[Task]]


class Revised(TypedDict):
    id: str
    now: str
    was: str
    why: Text


class Right(TypedDict):
    guided: int
    none: int
    other: int


class _Risk(TypedDict):
    base: float
    enough: bool
    high: float
    known: int
    low: float
    order: float
    p: float


class Risk(_Risk, total=False):
    because: Optional[List[Reason]]
    before: SameTest
    direction: str
    elsewhere: float
    learned: bool


class Rule(TypedDict):
    caseThreshold: int
    experienceThreshold: int
    minConfidence: float
    timeWindow: int


class _Run(TypedDict):
    began: str
    goal: str
    id: str
    last: str
    state: str
    updates: int


class Run(_Run, total=False):
    agents: Optional[List[str]]
    build: str
    feedback: Optional[List[Feedback]]
    lastBy: str
    left: int
    notes: Optional[List[Note]]
    product: str
    tasks: Optional[List[Task]]
    test: str
    tested: Optional[List[Tested]]
    values: Dict[str, str]
    visited: Optional[List[Visit]]
    why: str


class _RunAdded(TypedDict):
    known: int
    updates: int


class RunAdded(_RunAdded, total=False):
    beside: str
    taken: Optional[List[str]]


class RunList(TypedDict):
    # Those under way first; with like the likest first
    runs: Optional[List[Episode]]


class _RunStart(TypedDict):
    # What the run is for, in a sentence
    goal: str


class RunStart(_RunStart, total=False):
    build: str
    # The agent; left out: the token
    by: str
    # Left out: one is made
    id: str
    product: str
    # Of a run that is a test
    test: str


class _RunUpdate(TypedDict):
    kind: Literal["task", "note", "decision", "error", "finding", "visit", "tested", "value", "end", "feedback"]


class RunUpdate(_RunUpdate, total=False):
    # An update whose key the run has changes nothing
    key: str
    # Of an element that was tested, or of a value
    name: str
    # An address or a route
    page: str
    # Of feedback, from 1
    rating: int
    # Of a task, a finding or an end
    state: str
    # Id of a task
    task: str
    text: str


class _RunUpdates(TypedDict):
    # In order; all are saved, or none
    updates: Optional[List[RunUpdate]]


class RunUpdates(_RunUpdates, total=False):
    # The agent; left out: the token
    by: str


class SameTest(TypedDict):
    known: int
    wrong: int


class Scene(TypedDict, total=False):
    id: str
    route: str
    type: str


class Scope(TypedDict, total=False):
    build: str
    position: int
    product: str
    suite: str
    suite_tests: Optional[List[str]]
    test: str


class _SearchHit(TypedDict):
    kind: str
    score: float
    title: str


class SearchHit(_SearchHit, total=False):
    at: str
    id: str
    product: str
    text: str


class ServerDecision(TypedDict, total=False):
    # Keys of proposals
    accept: Optional[List[str]]
    # Who decides; the name of the token where it has one
    by: str
    # Keys of proposals
    reject: Optional[List[str]]
    # Why they are rejected, a sentence
    why: str


class Share(TypedDict):
    all: int
    tested: int


class _Sighting(TypedDict):
    kind: str


class Sighting(_Sighting, total=False):
    code: str
    do: str
    failed: bool
    ms: int
    name: str
    params: Optional[List[str]]
    place: str
    priority: str
    role: str
    selector: str
    status: int
    steps: Optional[List[str]]
    tests: Optional[List[str]]
    title: str
    to: str
    url: str


class Signal(TypedDict):
    calibrated: float
    contribution: float
    raw: float
    weight: float


class Speaker(TypedDict, total=False):
    # The person who decides; left out: the name of the token
    by: str
    # Return what would change, write nothing
    dryRun: bool
    # Decide although another person decided otherwise, or take their decision back
    over: bool
    # A sentence; it is stored
    why: str


class _StateBody(TypedDict):
    # What holds, one sentence of at most 260 columns: 260 characters, 130 of Chinese
    statement: str


class StateBody(_StateBody, total=False):
    # Only for these builds
    builds: Optional[List[str]]
    # The person who decides; left out: the name of the token
    by: str
    # Return what would change, write nothing
    dryRun: bool
    # Of a known bug: the build in which it is fixed
    fixed: str
    kind: Literal["behaviour", "rule", "format", "intended", "known_bug", "pattern", "preference"]
    # Decide although another person decided otherwise, or take their decision back
    over: bool
    # Only on these pages: routes or names
    pages: Optional[List[str]]
    # Only for this product
    product: str
    # Only for the test with this id
    test: str
    # A sentence; it is stored
    why: str


class Stats(TypedDict):
    ablations: AblationStats
    again: int
    analyses: Analyses
    apart: Apart
    briefs: Known
    bytes: int
    corrections: Optional[List[Remedied]]
    dead: int
    directions: Dict[str, int]
    embedder: str
    entries: int
    evaluations: int
    format: str
    levels: Dict[str, int]
    nodes: int
    origin: Origin
    out: int
    outbox: int
    statuses: Dict[str, int]
    swallowed: Swallowed
    trials: Trials
    types: Dict[str, int]
    vectors: Vectors
    version: int


_StepMust = TypedDict("_StepMust", {
    "from": 'str',
    "times": 'int',
    "to": 'str',
})


_StepMay = TypedDict("_StepMay", {
    "do": 'str',
    "name": 'str',
    "role": 'str',
    "selector": 'str',
}, total=False)


class Step(_StepMust, _StepMay):
    pass


class Swallowed(TypedDict):
    conflicts: int
    guidance: int
    runs: int
    trials: int


class _Task(TypedDict):
    at: str
    id: str
    state: str


class Task(_Task, total=False):
    by: str
    text: str


Taught = TypedDict("Taught", {
    "against": 'Optional[List[str]]',
    "by": 'str',
    "for": 'Optional[List[str]]',
    "notFor": 'Optional[List[str]]',
}, total=False)


_TeachMust = TypedDict("_TeachMust", {
    "lesson": 'str',
    "when": 'Optional[List[str]]',
})


_TeachMay = TypedDict("_TeachMay", {
    "by": 'str',
    "direction": 'Literal["false_pass", "false_fail", "other"]',
    "dryRun": 'bool',
    "for": 'Optional[List[str]]',
    "notFor": 'Optional[List[str]]',
    "over": 'bool',
    "product": 'str',
    "why": 'str',
}, total=False)


class Teach(_TeachMust, _TeachMay):
    pass


class TestCase(TypedDict):
    case_id: str
    ground_truth: Any
    prompt: str
    scene_id: str


class _TestStep(TypedDict):
    title: str


class TestStep(_TestStep, total=False):
    failed: bool


class Tested(TypedDict):
    name: str
    page: str


class Text(TypedDict):
    en: str
    zh: str


class _ToldFact(TypedDict):
    kind: str
    memory: str
    state: str
    text: str


class ToldFact(_ToldFact, total=False):
    check: str
    line: int
    seen: str
    silent: bool
    thing: str


class _Translation(TypedDict):
    check: str
    lesson: str


class Translation(_Translation, total=False):
    appliesWhen: Optional[List[str]]
    mistake: str
    title: str


class TreeList(TypedDict):
    # By name
    trees: Optional[List[TreeState]]


class _TreeState(TypedDict):
    name: str
    writable: bool


class TreeState(_TreeState, total=False):
    # What it holds
    info: Info
    # Why it can only be read
    problem: str


class Trials(TypedDict):
    asked: int
    found: int
    guided: int
    none: int
    other: int
    outcomes: Outcomes
    questions: int


class _Truth(TypedDict):
    # Its id, or the beginning of it
    evaluation: str


class Truth(_Truth, total=False):
    # The person who decides; left out: the name of the token
    by: str
    # Whether the agent was right, where nothing else says
    correct: bool
    direction: Literal["false_pass", "false_fail", "other"]
    # Return what would change, write nothing
    dryRun: bool
    # Any JSON
    groundTruth: Any
    # Decide although another person decided otherwise, or take their decision back
    over: bool
    # What the evaluator says about it now
    reason: str
    # A sentence; it is stored
    why: str


class Typed(TypedDict):
    eHarm: float
    errorType: str
    state: str


class _Unlabelled(TypedDict):
    evaluation: Evaluation
    risk: Risk


class Unlabelled(_Unlabelled, total=False):
    skipped: bool


class Usage(TypedDict):
    inputTokens: int
    outputTokens: int


class _Vectors(TypedDict):
    have: int
    of: int


class Vectors(_Vectors, total=False):
    note: str


class _Verdict(TypedDict):
    correct: bool
    evaluation: str
    labelled: bool


class Verdict(_Verdict, total=False):
    agent: Agent
    attempt: int
    by: str
    case_id: str
    direction: str
    excuse: str
    features: str
    mends: bool
    node: str
    product: str
    run_id: str
    scene: Scene


class Visit(TypedDict):
    last: str
    page: str
    times: int


class _Vote(TypedDict):
    at: str
    holds: bool


class Vote(_Vote, total=False):
    by: str
    why: str


class _Walk(TypedDict):
    # In order
    seen: Optional[List[Sighting]]
    # The tool or agent that saw it
    source: str


class Walk(_Walk, total=False):
    build: str
    # Its number within the run, from 0
    part: int
    product: str
    # The run that it is part of
    run: str
    # The test that ran; left out: an exploration
    test: str


class Way(TypedDict):
    found: bool
    # In order; none where both are one page
    steps: Optional[List[Step]]


class Where(TypedDict, total=False):
    after: str
    name: str
    page: str
    role: str
