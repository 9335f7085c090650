"""The bodies of the HTTP interface, by their names in its OpenAPI document.

Written from that document: DOCS=write node dist/test/main.js docs/client-files
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class _DecideRequestAssetsValue1(TypedDict):
    data_base64: str


class DecideRequestAssetsValue1(_DecideRequestAssetsValue1, total=False):
    type: Literal["image"]
    format: Any
    part: None


class _DecideRequestAssetsValue2(TypedDict):
    part: str


class DecideRequestAssetsValue2(_DecideRequestAssetsValue2, total=False):
    type: Literal["image"]
    format: Any
    data_base64: None


class DecideRequestQuestionsValue1Criteria2(TypedDict):
    true: Union[str, None]
    false: Union[str, None]


class DecideRequestQuestionsValue1Criteria3(TypedDict):
    yes: Union[str, None]
    no: Union[str, None]


class _NoulQuestion(TypedDict):
    type: Literal["noul"]


class NoulQuestion(_NoulQuestion, total=False):
    instructions: Union[str, None]
    criteria: Union[None, "DecideRequestQuestionsValue1Criteria2", "DecideRequestQuestionsValue1Criteria3"]


class _ChoiceQuestion(TypedDict):
    type: Literal["choice"]
    criteria: Union[Dict[str, Union[str, None]], List[str]]


class ChoiceQuestion(_ChoiceQuestion, total=False):
    instructions: Union[str, None]


class _ScoreQuestion(TypedDict):
    type: Literal["score"]
    criteria: List[Union[str, None]]


class ScoreQuestion(_ScoreQuestion, total=False):
    instructions: Union[str, None]


class _DecideRequest(TypedDict):
    state: Any
    questions: Dict[str, Union["NoulQuestion", "ChoiceQuestion", "ScoreQuestion"]]


class DecideRequest(_DecideRequest, total=False):
    model: Union[str, None]
    image_budget: int
    assets: Dict[str, Union["DecideRequestAssetsValue1", "DecideRequestAssetsValue2"]]


class _SystemoneRequestAssetsValue1(TypedDict):
    data_base64: str


class SystemoneRequestAssetsValue1(_SystemoneRequestAssetsValue1, total=False):
    type: Literal["image"]
    format: Any
    part: None


class _SystemoneRequestAssetsValue2(TypedDict):
    part: str


class SystemoneRequestAssetsValue2(_SystemoneRequestAssetsValue2, total=False):
    type: Literal["image"]
    format: Any
    data_base64: None


class SystemoneRequestQuestionsValue1Criteria2(TypedDict, total=False):
    true: Union[str, None, Dict[str, Any], List[Any]]
    false: Union[str, None, Dict[str, Any], List[Any]]


class SystemoneRequestQuestionsValue1Criteria3(TypedDict, total=False):
    yes: Union[str, None, Dict[str, Any], List[Any]]
    no: Union[str, None, Dict[str, Any], List[Any]]


class _SystemoneRequestQuestionsValue1(TypedDict):
    type: Literal["noul"]


class SystemoneRequestQuestionsValue1(_SystemoneRequestQuestionsValue1, total=False):
    instructions: Union[str, None, Dict[str, Any], List[Any]]
    criteria: Union[None, "SystemoneRequestQuestionsValue1Criteria2", "SystemoneRequestQuestionsValue1Criteria3"]


class _SystemoneRequestQuestionsValue2(TypedDict):
    type: Literal["choice"]
    criteria: Union[Dict[str, Union[str, None, Dict[str, Any], List[Any]]], List[str]]


class SystemoneRequestQuestionsValue2(_SystemoneRequestQuestionsValue2, total=False):
    instructions: Union[str, None, Dict[str, Any], List[Any]]


class _SystemoneRequestQuestionsValue3(TypedDict):
    type: Literal["score"]
    criteria: List[Union[str, None, Dict[str, Any], List[Any]]]


class SystemoneRequestQuestionsValue3(_SystemoneRequestQuestionsValue3, total=False):
    instructions: Union[str, None, Dict[str, Any], List[Any]]


class _SystemoneRequest(TypedDict):
    state: Any
    questions: Dict[str, Union["SystemoneRequestQuestionsValue1", "SystemoneRequestQuestionsValue2", "SystemoneRequestQuestionsValue3"]]


class SystemoneRequest(_SystemoneRequest, total=False):
    model: Union[str, None]
    image_budget: int
    assets: Dict[str, Union["SystemoneRequestAssetsValue1", "SystemoneRequestAssetsValue2"]]


class DecisionsRequestInput2Item1Content2Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestInput2Item1Content2Item2(TypedDict):
    type: Literal["input_image"]
    image_url: str


class DecisionsRequestInput2Item1Content2Item2(_DecisionsRequestInput2Item1Content2Item2, total=False):
    detail: Union[Literal["low", "high", "auto", "original"], None]


class DecisionsRequestInput2Item1Content2Item3(TypedDict):
    type: Literal["input_json"]
    data: Union[Dict[str, Any], List[Dict[str, Any]]]


class _DecisionsRequestInput2Item1(TypedDict):
    role: Literal["user"]
    content: Union[str, List[Union["DecisionsRequestInput2Item1Content2Item1", "DecisionsRequestInput2Item1Content2Item2", "DecisionsRequestInput2Item1Content2Item3"]]]


class DecisionsRequestInput2Item1(_DecisionsRequestInput2Item1, total=False):
    type: Union[Literal["message"], None]


class DecisionsRequestInput2Item2Content2Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestInput2Item2(TypedDict):
    role: Literal["developer"]
    content: Union[str, List["DecisionsRequestInput2Item2Content2Item1"]]


class DecisionsRequestInput2Item2(_DecisionsRequestInput2Item2, total=False):
    type: Union[Literal["message"], None]


class DecisionsRequestInput2Item3Content2Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestInput2Item3(TypedDict):
    role: Literal["system"]
    content: Union[str, List["DecisionsRequestInput2Item3Content2Item1"]]


class DecisionsRequestInput2Item3(_DecisionsRequestInput2Item3, total=False):
    type: Union[Literal["message"], None]


class DecisionsRequestInput2Item4Content2Item1(TypedDict):
    type: Literal["output_text"]
    text: str


class DecisionsRequestInput2Item4Content2Item2(TypedDict):
    type: Literal["refusal"]
    refusal: str


class _DecisionsRequestInput2Item4(TypedDict):
    role: Literal["assistant"]
    content: Union[str, List[Union["DecisionsRequestInput2Item4Content2Item1", "DecisionsRequestInput2Item4Content2Item2"]]]


class DecisionsRequestInput2Item4(_DecisionsRequestInput2Item4, total=False):
    type: Union[Literal["message"], None]


class _DecisionsRequestInput2Item5(TypedDict):
    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str


class DecisionsRequestInput2Item5(_DecisionsRequestInput2Item5, total=False):
    namespace: Union[str, None]


class DecisionsRequestInput2Item6Output2Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestInput2Item6Output2Item2(TypedDict):
    type: Literal["input_image"]
    image_url: str


class DecisionsRequestInput2Item6Output2Item2(_DecisionsRequestInput2Item6Output2Item2, total=False):
    detail: Union[Literal["low", "high", "auto", "original"], None]


class DecisionsRequestInput2Item6(TypedDict):
    type: Literal["function_call_output"]
    call_id: str
    output: Union[str, List[Union["DecisionsRequestInput2Item6Output2Item1", "DecisionsRequestInput2Item6Output2Item2"]]]


class _DecisionsRequestInput2Item7(TypedDict):
    type: Literal["custom_tool_call"]
    call_id: str
    name: str
    input: str


class DecisionsRequestInput2Item7(_DecisionsRequestInput2Item7, total=False):
    namespace: Union[str, None]


class DecisionsRequestInput2Item8Output2Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestInput2Item8Output2Item2(TypedDict):
    type: Literal["input_image"]
    image_url: str


class DecisionsRequestInput2Item8Output2Item2(_DecisionsRequestInput2Item8Output2Item2, total=False):
    detail: Union[Literal["low", "high", "auto", "original"], None]


class DecisionsRequestInput2Item8(TypedDict):
    type: Literal["custom_tool_call_output"]
    call_id: str
    output: Union[str, List[Union["DecisionsRequestInput2Item8Output2Item1", "DecisionsRequestInput2Item8Output2Item2"]]]


class DecisionsRequestQuestionsItem1Instructions12Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestQuestionsItem1Instructions12Item2(TypedDict):
    type: Literal["input_image"]
    image_url: str


class DecisionsRequestQuestionsItem1Instructions12Item2(_DecisionsRequestQuestionsItem1Instructions12Item2, total=False):
    detail: Union[Literal["low", "high", "auto", "original"], None]


class DecisionsRequestQuestionsItem1Instructions12Item3(TypedDict):
    type: Literal["input_json"]
    data: Union[Dict[str, Any], List[Dict[str, Any]]]


class _DecisionsRequestQuestionsItem1(TypedDict):
    type: Literal["predicate"]


class DecisionsRequestQuestionsItem1(_DecisionsRequestQuestionsItem1, total=False):
    name: Union[str, None]
    instructions: Union[Union[str, List[Union["DecisionsRequestQuestionsItem1Instructions12Item1", "DecisionsRequestQuestionsItem1Instructions12Item2", "DecisionsRequestQuestionsItem1Instructions12Item3"]]], None]


class DecisionsRequestQuestionsItem2Instructions12Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestQuestionsItem2Instructions12Item2(TypedDict):
    type: Literal["input_image"]
    image_url: str


class DecisionsRequestQuestionsItem2Instructions12Item2(_DecisionsRequestQuestionsItem2Instructions12Item2, total=False):
    detail: Union[Literal["low", "high", "auto", "original"], None]


class DecisionsRequestQuestionsItem2Instructions12Item3(TypedDict):
    type: Literal["input_json"]
    data: Union[Dict[str, Any], List[Dict[str, Any]]]


class _DecisionsRequestQuestionsItem2ChoicesItem(TypedDict):
    value: Union[str, bool]


class DecisionsRequestQuestionsItem2ChoicesItem(_DecisionsRequestQuestionsItem2ChoicesItem, total=False):
    description: Union[str, None]


class _DecisionsRequestQuestionsItem2(TypedDict):
    type: Literal["choice"]
    choices: List["DecisionsRequestQuestionsItem2ChoicesItem"]


class DecisionsRequestQuestionsItem2(_DecisionsRequestQuestionsItem2, total=False):
    name: Union[str, None]
    instructions: Union[Union[str, List[Union["DecisionsRequestQuestionsItem2Instructions12Item1", "DecisionsRequestQuestionsItem2Instructions12Item2", "DecisionsRequestQuestionsItem2Instructions12Item3"]]], None]


class DecisionsRequestQuestionsItem3Instructions12Item1(TypedDict):
    type: Literal["input_text"]
    text: str


class _DecisionsRequestQuestionsItem3Instructions12Item2(TypedDict):
    type: Literal["input_image"]
    image_url: str


class DecisionsRequestQuestionsItem3Instructions12Item2(_DecisionsRequestQuestionsItem3Instructions12Item2, total=False):
    detail: Union[Literal["low", "high", "auto", "original"], None]


class DecisionsRequestQuestionsItem3Instructions12Item3(TypedDict):
    type: Literal["input_json"]
    data: Union[Dict[str, Any], List[Dict[str, Any]]]


class _DecisionsRequestQuestionsItem3LevelsItem(TypedDict):
    label: str


class DecisionsRequestQuestionsItem3LevelsItem(_DecisionsRequestQuestionsItem3LevelsItem, total=False):
    description: Union[str, None]


class _DecisionsRequestQuestionsItem3(TypedDict):
    type: Literal["score"]
    levels: List["DecisionsRequestQuestionsItem3LevelsItem"]


class DecisionsRequestQuestionsItem3(_DecisionsRequestQuestionsItem3, total=False):
    name: Union[str, None]
    instructions: Union[Union[str, List[Union["DecisionsRequestQuestionsItem3Instructions12Item1", "DecisionsRequestQuestionsItem3Instructions12Item2", "DecisionsRequestQuestionsItem3Instructions12Item3"]]], None]


class _DecisionsRequest(TypedDict):
    model: str
    input: Union[str, List[Union["DecisionsRequestInput2Item1", "DecisionsRequestInput2Item2", "DecisionsRequestInput2Item3", "DecisionsRequestInput2Item4", "DecisionsRequestInput2Item5", "DecisionsRequestInput2Item6", "DecisionsRequestInput2Item7", "DecisionsRequestInput2Item8"]]]
    questions: List[Union["DecisionsRequestQuestionsItem1", "DecisionsRequestQuestionsItem2", "DecisionsRequestQuestionsItem3"]]


class DecisionsRequest(_DecisionsRequest, total=False):
    prompt_cache_key: Union[str, None]
    prompt_cache_options: Union[Dict[str, Any], None]
    safety_identifier: Union[str, None]


class _NoulAnswer(TypedDict):
    type: Literal["noul"]
    noul: float


class NoulAnswer(_NoulAnswer, total=False):
    raw_probabilities: Dict[str, float]
    label_mass: float


class _ChoiceAnswer(TypedDict):
    type: Literal["choice"]
    choice: str
    confidence: float
    probabilities: Dict[str, float]


class ChoiceAnswer(_ChoiceAnswer, total=False):
    raw_probabilities: Dict[str, float]
    label_mass: float


class _ScoreAnswer(TypedDict):
    type: Literal["score"]
    level: int
    score: float
    confidence: float
    legend: Dict[str, str]
    probabilities: Dict[str, float]


class ScoreAnswer(_ScoreAnswer, total=False):
    raw_probabilities: Dict[str, float]
    label_mass: float


class DecideResponseUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class DecideResponse(TypedDict):
    model: str
    answers: Dict[str, Union["NoulAnswer", "ChoiceAnswer", "ScoreAnswer"]]
    usage: "DecideResponseUsage"


class _DecisionsResponseAnswersItem1(TypedDict):
    type: Literal["predicate"]
    name: Union[str, None]
    probability: float


class DecisionsResponseAnswersItem1(_DecisionsResponseAnswersItem1, total=False):
    raw_probabilities: List[float]
    label_mass: float


class DecisionsResponseAnswersItem2ProbabilitiesItem(TypedDict):
    value: Union[str, bool]
    probability: float


class _DecisionsResponseAnswersItem2(TypedDict):
    type: Literal["choice"]
    name: Union[str, None]
    choice: Union[str, bool]
    confidence: float
    probabilities: List["DecisionsResponseAnswersItem2ProbabilitiesItem"]


class DecisionsResponseAnswersItem2(_DecisionsResponseAnswersItem2, total=False):
    raw_probabilities: List[float]
    label_mass: float


class DecisionsResponseAnswersItem3ProbabilitiesItem(TypedDict):
    value: int
    label: str
    probability: float


class _DecisionsResponseAnswersItem3(TypedDict):
    type: Literal["score"]
    name: Union[str, None]
    score: float
    confidence: float
    probabilities: List["DecisionsResponseAnswersItem3ProbabilitiesItem"]


class DecisionsResponseAnswersItem3(_DecisionsResponseAnswersItem3, total=False):
    raw_probabilities: List[float]
    label_mass: float


class DecisionsResponseAnswersItem4(TypedDict):
    type: Literal["refusal"]
    name: Union[str, None]


class DecisionsResponseUsageInputTokensDetails(TypedDict):
    cached_tokens: int
    cache_write_tokens: int


class DecisionsResponseUsageOutputTokensDetails(TypedDict):
    reasoning_tokens: int


class DecisionsResponseUsage(TypedDict):
    input_tokens: int
    input_tokens_details: "DecisionsResponseUsageInputTokensDetails"
    output_tokens: int
    output_tokens_details: "DecisionsResponseUsageOutputTokensDetails"
    total_tokens: int


class DecisionsResponse(TypedDict):
    model: str
    answers: List[Union["DecisionsResponseAnswersItem1", "DecisionsResponseAnswersItem2", "DecisionsResponseAnswersItem3", "DecisionsResponseAnswersItem4"]]
    usage: "DecisionsResponseUsage"


class SubmitResponseEstimatedCost(TypedDict):
    amount: float
    currency: str
    input_tokens: int
    rate: float
    basis: Literal["estimate"]


class SubmitResponse(TypedDict):
    id: str
    object: Literal["batch"]
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    lines: int
    estimated_cost: "SubmitResponseEstimatedCost"
    expires_at: str
    data_region: str


class BatchCounts(TypedDict):
    done: int
    failed: int
    pending: int


class BatchWebhookDelivery1(TypedDict):
    status: Literal["pending", "delivered", "failed"]
    attempts: int
    error: Union[str, None]


class BatchEstimatedCost(TypedDict):
    amount: float
    currency: str
    input_tokens: int
    rate: float
    basis: Literal["estimate"]


class Batch(TypedDict):
    id: str
    object: Literal["batch"]
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    lines: int
    counts: "BatchCounts"
    models: List[str]
    created_at: str
    started_at: Union[str, None]
    finished_at: Union[str, None]
    expires_at: str
    reason: Union[str, None]
    results_available: bool
    webhook: bool
    webhook_delivery: Union["BatchWebhookDelivery1", None]
    estimated_cost: "BatchEstimatedCost"
    data_region: str
    delete_after: Union[str, None]


class BatchListDataItemCounts(TypedDict):
    done: int
    failed: int
    pending: int


class BatchListDataItemWebhookDelivery1(TypedDict):
    status: Literal["pending", "delivered", "failed"]
    attempts: int
    error: Union[str, None]


class BatchListDataItemEstimatedCost(TypedDict):
    amount: float
    currency: str
    input_tokens: int
    rate: float
    basis: Literal["estimate"]


class BatchListDataItem(TypedDict):
    id: str
    object: Literal["batch"]
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    lines: int
    counts: "BatchListDataItemCounts"
    models: List[str]
    created_at: str
    started_at: Union[str, None]
    finished_at: Union[str, None]
    expires_at: str
    reason: Union[str, None]
    results_available: bool
    webhook: bool
    webhook_delivery: Union["BatchListDataItemWebhookDelivery1", None]
    estimated_cost: "BatchListDataItemEstimatedCost"
    data_region: str
    delete_after: Union[str, None]


class _BatchList(TypedDict):
    object: Literal["list"]
    data: List["BatchListDataItem"]


class BatchList(_BatchList, total=False):
    has_more: bool


class TaskRequestQuestionsValue1Criteria2(TypedDict):
    true: Union[str, None]
    false: Union[str, None]


class TaskRequestQuestionsValue1Criteria3(TypedDict):
    yes: Union[str, None]
    no: Union[str, None]


class _TaskRequestQuestionsValue1(TypedDict):
    type: Literal["noul"]


class TaskRequestQuestionsValue1(_TaskRequestQuestionsValue1, total=False):
    instructions: Union[str, None]
    criteria: Union[None, "TaskRequestQuestionsValue1Criteria2", "TaskRequestQuestionsValue1Criteria3"]


class _TaskRequestQuestionsValue2(TypedDict):
    type: Literal["choice"]
    criteria: Union[Dict[str, Union[str, None]], List[str]]


class TaskRequestQuestionsValue2(_TaskRequestQuestionsValue2, total=False):
    instructions: Union[str, None]


class _TaskRequestQuestionsValue3(TypedDict):
    type: Literal["score"]
    criteria: List[Union[str, None]]


class TaskRequestQuestionsValue3(_TaskRequestQuestionsValue3, total=False):
    instructions: Union[str, None]


class TaskRequestShadow1(TypedDict):
    model: str
    share: float


class _TaskRequest(TypedDict):
    questions: Dict[str, Union["TaskRequestQuestionsValue1", "TaskRequestQuestionsValue2", "TaskRequestQuestionsValue3"]]


class TaskRequest(_TaskRequest, total=False):
    model: Union[str, None]
    description: Union[str, None]
    target_error: float
    confidence: float
    shadow: Union["TaskRequestShadow1", None]


class TaskVersionsItem(TypedDict):
    version: int
    model: Union[str, None]
    created_at: str


class TaskFit1Task(TypedDict):
    name: str
    version: int


class TaskFit1QuestionsValue1Temperature(TypedDict):
    value: float


class TaskFit1QuestionsValue1QualityCi(TypedDict):
    accuracy: List[float]
    brier: List[float]
    log_loss: List[float]
    ece: List[float]

TaskFit1QuestionsValue1QualityReliabilityItem = TypedDict(
    "TaskFit1QuestionsValue1QualityReliabilityItem",
    {
        "n": int,
        "from": float,
        "to": float,
        "confidence": float,
        "accuracy": float,
    },
)


class TaskFit1QuestionsValue1QualityCoverageItem(TypedDict):
    threshold: float
    n: int
    coverage: float
    error: float


class TaskFit1QuestionsValue1Quality(TypedDict):
    n: int
    accuracy: float
    brier: float
    log_loss: float
    ece: float
    ci: "TaskFit1QuestionsValue1QualityCi"
    reliability: List["TaskFit1QuestionsValue1QualityReliabilityItem"]
    coverage: List["TaskFit1QuestionsValue1QualityCoverageItem"]


class TaskFit1QuestionsValue1Threshold1Coverage(TypedDict):
    value: float
    ci: List[float]


class TaskFit1QuestionsValue1Threshold1Error(TypedDict):
    value: float
    ci: List[float]


class TaskFit1QuestionsValue1Threshold1(TypedDict):
    threshold: float
    accepted: int
    wrong: int
    error_max: float
    coverage: "TaskFit1QuestionsValue1Threshold1Coverage"
    error: "TaskFit1QuestionsValue1Threshold1Error"


class TaskFit1QuestionsValue1MoreItem(TypedDict):
    threshold: float
    coverage: float
    labels: int


class TaskFit1QuestionsValue1(TypedDict):
    labels: int
    tested: int
    temperature: "TaskFit1QuestionsValue1Temperature"
    quality: "TaskFit1QuestionsValue1Quality"
    threshold: Union["TaskFit1QuestionsValue1Threshold1", None]
    more: List["TaskFit1QuestionsValue1MoreItem"]


class TaskFit1QuestionsValue2(TypedDict):
    refused: Literal["too_few_labels"]
    labels: int
    needed: int


class TaskFit1(TypedDict):
    object: Literal["fit"]
    task: "TaskFit1Task"
    model: str
    target_error: float
    confidence: float
    fitted_at: str
    questions: Dict[str, Union["TaskFit1QuestionsValue1", "TaskFit1QuestionsValue2"]]


class TaskDrift1Value1Chosen(TypedDict):
    stability_index: Union[float, None]
    unchanged: Union[float, None]
    labelled: List[float]
    window: List[float]


class TaskDrift1Value1Confidence(TypedDict):
    stability_index: Union[float, None]
    unchanged: Union[float, None]
    labelled: List[float]
    window: List[float]


class _TaskDrift1Value1Alarm1(TypedDict):
    after_answers: int
    compared_with: Literal["labelled", "earlier"]
    share_before: float
    share_now: float


class TaskDrift1Value1Alarm1(_TaskDrift1Value1Alarm1, total=False):
    chosen: str
    confidence_below: float


class TaskDrift1Value1Errors1(TypedDict):
    labels: int
    wrong: int
    evidence: float
    alarm_at: float
    after_labels: Union[int, None]


class TaskDrift1Value1(TypedDict):
    answers: int
    window: int
    chosen: "TaskDrift1Value1Chosen"
    confidence: "TaskDrift1Value1Confidence"
    alarm: Union["TaskDrift1Value1Alarm1", None]
    errors: Union["TaskDrift1Value1Errors1", None]


class TaskWarningsItem(TypedDict):
    type: Literal["drift", "error_above_target", "fit_outdated"]
    question: str
    message: str


class TaskShadow1Builds(TypedDict):
    live: Union[str, None]
    shadow: Union[str, None]


class TaskShadow1QuestionsValueAgreement1(TypedDict):
    value: float
    ci: List[float]


class TaskShadow1QuestionsValueAcceptChanged1(TypedDict):
    value: float
    ci: List[float]


class TaskShadow1QuestionsValueLiveAccuracy1(TypedDict):
    value: float
    ci: List[float]


class TaskShadow1QuestionsValueShadowAccuracy1(TypedDict):
    value: float
    ci: List[float]


class TaskShadow1QuestionsValueAccuracyDifference1(TypedDict):
    value: float
    ci: List[float]


class TaskShadow1QuestionsValue(TypedDict):
    answers: int
    agreement: Union["TaskShadow1QuestionsValueAgreement1", None]
    mean_difference: Union[float, None]
    largest_difference: Union[float, None]
    accept_changed: Union["TaskShadow1QuestionsValueAcceptChanged1", None]
    newly_accepted: int
    no_longer_accepted: int
    labels: int
    live_accuracy: Union["TaskShadow1QuestionsValueLiveAccuracy1", None]
    shadow_accuracy: Union["TaskShadow1QuestionsValueShadowAccuracy1", None]
    accuracy_difference: Union["TaskShadow1QuestionsValueAccuracyDifference1", None]


class TaskShadow1(TypedDict):
    model: str
    share: float
    builds: "TaskShadow1Builds"
    since: Union[str, None]
    questions: Dict[str, "TaskShadow1QuestionsValue"]


class TaskQuestionsValue1Criteria2(TypedDict):
    true: Union[str, None]
    false: Union[str, None]


class TaskQuestionsValue1Criteria3(TypedDict):
    yes: Union[str, None]
    no: Union[str, None]


class _TaskQuestionsValue1(TypedDict):
    type: Literal["noul"]


class TaskQuestionsValue1(_TaskQuestionsValue1, total=False):
    instructions: Union[str, None]
    criteria: Union[None, "TaskQuestionsValue1Criteria2", "TaskQuestionsValue1Criteria3"]


class _TaskQuestionsValue2(TypedDict):
    type: Literal["choice"]
    criteria: Union[Dict[str, Union[str, None]], List[str]]


class TaskQuestionsValue2(_TaskQuestionsValue2, total=False):
    instructions: Union[str, None]


class _TaskQuestionsValue3(TypedDict):
    type: Literal["score"]
    criteria: List[Union[str, None]]


class TaskQuestionsValue3(_TaskQuestionsValue3, total=False):
    instructions: Union[str, None]


class Task(TypedDict):
    object: Literal["task"]
    name: str
    version: int
    model: Union[str, None]
    description: Union[str, None]
    target_error: float
    confidence: float
    created_at: str
    updated_at: str
    versions: List["TaskVersionsItem"]
    answers: int
    labels: int
    fit: Union["TaskFit1", None]
    drift: Union[Dict[str, Union["TaskDrift1Value1", None]], None]
    warnings: List["TaskWarningsItem"]
    shadow: Union["TaskShadow1", None]
    questions: Dict[str, Union["TaskQuestionsValue1", "TaskQuestionsValue2", "TaskQuestionsValue3"]]


class TaskListDataItem(TypedDict):
    object: Literal["task"]
    name: str
    version: int
    model: Union[str, None]
    description: Union[str, None]
    target_error: float
    confidence: float
    created_at: str
    updated_at: str
    answers: int
    labels: int
    fitted_at: Union[str, None]


class TaskList(TypedDict):
    object: Literal["list"]
    data: List["TaskListDataItem"]


class TaskDeleted(TypedDict):
    object: Literal["task"]
    name: str
    deleted: bool


class _TaskDecideRequestAssetsValue1(TypedDict):
    data_base64: str


class TaskDecideRequestAssetsValue1(_TaskDecideRequestAssetsValue1, total=False):
    type: Literal["image"]
    format: Any
    part: None


class _TaskDecideRequestAssetsValue2(TypedDict):
    part: str


class TaskDecideRequestAssetsValue2(_TaskDecideRequestAssetsValue2, total=False):
    type: Literal["image"]
    format: Any
    data_base64: None


class _TaskDecideRequest(TypedDict):
    state: Any


class TaskDecideRequest(_TaskDecideRequest, total=False):
    image_budget: int
    assets: Dict[str, Union["TaskDecideRequestAssetsValue1", "TaskDecideRequestAssetsValue2"]]


class _TaskAnswersAnswersValue1(TypedDict):
    type: Literal["noul"]
    noul: float
    accept: Union[bool, None]


class TaskAnswersAnswersValue1(_TaskAnswersAnswersValue1, total=False):
    raw_probabilities: Dict[str, float]
    label_mass: float


class _TaskAnswersAnswersValue2(TypedDict):
    type: Literal["choice"]
    choice: str
    confidence: float
    probabilities: Dict[str, float]
    accept: Union[bool, None]


class TaskAnswersAnswersValue2(_TaskAnswersAnswersValue2, total=False):
    raw_probabilities: Dict[str, float]
    label_mass: float


class _TaskAnswersAnswersValue3(TypedDict):
    type: Literal["score"]
    level: int
    score: float
    confidence: float
    legend: Dict[str, str]
    probabilities: Dict[str, float]
    accept: Union[bool, None]


class TaskAnswersAnswersValue3(_TaskAnswersAnswersValue3, total=False):
    raw_probabilities: Dict[str, float]
    label_mass: float


class TaskAnswersUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class TaskAnswersTask(TypedDict):
    name: str
    version: int


class TaskAnswers(TypedDict):
    model: str
    answers: Dict[str, Union["TaskAnswersAnswersValue1", "TaskAnswersAnswersValue2", "TaskAnswersAnswersValue3"]]
    usage: "TaskAnswersUsage"
    task: "TaskAnswersTask"


class TaskLabelsTask(TypedDict):
    name: str
    version: int


class TaskLabels(TypedDict):
    object: Literal["labels"]
    task: "TaskLabelsTask"
    lines: int
    labels: int


class TaskFitTask(TypedDict):
    name: str
    version: int


class TaskFitQuestionsValue1Temperature(TypedDict):
    value: float


class TaskFitQuestionsValue1QualityCi(TypedDict):
    accuracy: List[float]
    brier: List[float]
    log_loss: List[float]
    ece: List[float]

TaskFitQuestionsValue1QualityReliabilityItem = TypedDict(
    "TaskFitQuestionsValue1QualityReliabilityItem",
    {
        "n": int,
        "from": float,
        "to": float,
        "confidence": float,
        "accuracy": float,
    },
)


class TaskFitQuestionsValue1QualityCoverageItem(TypedDict):
    threshold: float
    n: int
    coverage: float
    error: float


class TaskFitQuestionsValue1Quality(TypedDict):
    n: int
    accuracy: float
    brier: float
    log_loss: float
    ece: float
    ci: "TaskFitQuestionsValue1QualityCi"
    reliability: List["TaskFitQuestionsValue1QualityReliabilityItem"]
    coverage: List["TaskFitQuestionsValue1QualityCoverageItem"]


class TaskFitQuestionsValue1Threshold1Coverage(TypedDict):
    value: float
    ci: List[float]


class TaskFitQuestionsValue1Threshold1Error(TypedDict):
    value: float
    ci: List[float]


class TaskFitQuestionsValue1Threshold1(TypedDict):
    threshold: float
    accepted: int
    wrong: int
    error_max: float
    coverage: "TaskFitQuestionsValue1Threshold1Coverage"
    error: "TaskFitQuestionsValue1Threshold1Error"


class TaskFitQuestionsValue1MoreItem(TypedDict):
    threshold: float
    coverage: float
    labels: int


class TaskFitQuestionsValue1(TypedDict):
    labels: int
    tested: int
    temperature: "TaskFitQuestionsValue1Temperature"
    quality: "TaskFitQuestionsValue1Quality"
    threshold: Union["TaskFitQuestionsValue1Threshold1", None]
    more: List["TaskFitQuestionsValue1MoreItem"]


class TaskFitQuestionsValue2(TypedDict):
    refused: Literal["too_few_labels"]
    labels: int
    needed: int


class TaskFit(TypedDict):
    object: Literal["fit"]
    task: "TaskFitTask"
    model: str
    target_error: float
    confidence: float
    fitted_at: str
    questions: Dict[str, Union["TaskFitQuestionsValue1", "TaskFitQuestionsValue2"]]


class TaskPromotion(TypedDict, total=False):
    version: Union[int, None]
    model: Union[str, None]


class LimitsKey(TypedDict):
    id: str
    name: Union[str, None]
    expires: str


class LimitsMonth(TypedDict):
    charged: float
    budget: Union[float, None]


class LimitsPerMinute(TypedDict):
    requests: int
    bytes: int


class LimitsServer(TypedDict):
    body_bytes: int
    questions: int
    options: int
    decision_questions: int
    decision_choices: int
    decision_levels: int
    option_rotations: int
    prompts: int
    state_characters: int
    images: int
    image_bytes: int
    batch_lines: int
    batches_open: int


class LimitsModelsItemPrices(TypedDict):
    live: float
    batch: float


class LimitsModelsItem(TypedDict):
    id: str
    default: bool
    reads_images: bool
    max_options: Union[int, None]
    context_tokens: Union[int, None]
    domain: Union[str, None]
    prices: "LimitsModelsItemPrices"


class Limits(TypedDict):
    object: Literal["limits"]
    key: "LimitsKey"
    currency: str
    credit: float
    month: "LimitsMonth"
    per_minute: "LimitsPerMinute"
    server: "LimitsServer"
    models: List["LimitsModelsItem"]


class UsageKey(TypedDict):
    id: str


class UsageDataItem(TypedDict):
    day: str
    model: str
    kind: Literal["live", "batch"]
    requests: int
    input_tokens: int
    amount: float


class UsageTotal(TypedDict):
    requests: int
    input_tokens: int
    amount: float

Usage = TypedDict(
    "Usage",
    {
        "object": Literal["usage"],
        "key": "UsageKey",
        "currency": str,
        "from": str,
        "to": str,
        "data": List["UsageDataItem"],
        "total": "UsageTotal",
    },
)


class ModelListDataItem(TypedDict):
    id: str
    object: Literal["model"]
    owned_by: str


class ModelListModelsItem(TypedDict):
    name: str
    description: str
    release_date: Union[str, None]
    max_options: Union[int, None]
    reads_images: bool
    context_tokens: Union[int, None]
    domain: Union[str, None]


class ModelList(TypedDict):
    object: Literal["list"]
    data: List["ModelListDataItem"]
    models: List["ModelListModelsItem"]


class Health(TypedDict):
    status: Literal["ok"]


class Error(TypedDict):
    error: str
    type: Literal["http_version_not_supported", "headers_too_large", "not_found", "host_not_allowed", "method_not_allowed", "unauthorized", "length_required", "body_too_large", "unsupported_encoding", "unsupported_media_type", "out_of_credit", "budget_exceeded", "rate_limited", "too_many_batches", "batch_not_found", "task_not_found", "batch_not_finished", "batch_finished", "request_timeout", "bad_encoding", "bad_multipart", "invalid_jsonl", "empty_batch", "too_many_lines", "invalid_batch", "invalid_labels", "too_few_labels", "no_shadow", "shadow_changed", "too_many_labels", "idempotency_conflict", "invalid_json", "invalid_request", "model_not_found", "model_not_allowed", "invalid_webhook_url", "missing", "invalid_input", "invalid_questions", "too_many_questions", "invalid_type", "invalid_question", "too_many_options", "invalid_task", "too_many_tasks", "invalid_image_budget", "invalid_assets", "image_reference_truncated", "too_many_images", "unreferenced_asset", "image_too_large", "unsupported_image_format", "image_dimensions", "remote_image", "invalid_image", "images_not_supported", "batch_unavailable", "outcome_unknown", "overloaded", "model_unavailable", "internal_error"]


class OpenAiErrorError(TypedDict):
    message: str
    type: str
    param: Union[str, None]
    code: Literal["http_version_not_supported", "headers_too_large", "not_found", "host_not_allowed", "method_not_allowed", "unauthorized", "length_required", "body_too_large", "unsupported_encoding", "unsupported_media_type", "out_of_credit", "budget_exceeded", "rate_limited", "too_many_batches", "batch_not_found", "task_not_found", "batch_not_finished", "batch_finished", "request_timeout", "bad_encoding", "bad_multipart", "invalid_jsonl", "empty_batch", "too_many_lines", "invalid_batch", "invalid_labels", "too_few_labels", "no_shadow", "shadow_changed", "too_many_labels", "idempotency_conflict", "invalid_json", "invalid_request", "model_not_found", "model_not_allowed", "invalid_webhook_url", "missing", "invalid_input", "invalid_questions", "too_many_questions", "invalid_type", "invalid_question", "too_many_options", "invalid_task", "too_many_tasks", "invalid_image_budget", "invalid_assets", "image_reference_truncated", "too_many_images", "unreferenced_asset", "image_too_large", "unsupported_image_format", "image_dimensions", "remote_image", "invalid_image", "images_not_supported", "batch_unavailable", "outcome_unknown", "overloaded", "model_unavailable", "internal_error"]


class OpenAiError(TypedDict):
    error: "OpenAiErrorError"

