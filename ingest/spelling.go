package ingest

// slot is a field of an evaluation that a file can set.
type slot int

const (
	none slot = iota
	slotID
	slotRun
	slotCase
	slotAttempt
	slotAt
	slotSceneID
	slotSceneType
	slotRoute
	slotProduct
	slotSuite
	slotTest
	slotSuiteTests
	slotPosition
	slotBuild
	slotPrompt
	slotObservation
	slotJudgment
	slotTruth
	slotCorrect
	slotDirection
	slotReason
	slotExcuse
	slotAgent
	slotVersion
	slotModel
	slotTrial
	slotEvidence
	slotNote   // the reason, as written by the person who reviewed the run
	slotResult // used as the judgment if there is none
	slotFirst  // always used as the judgment: the agent's judgment before it was corrected

	// These are used as judgment and ground truth in pairs; see pairs.go.
	slotVerdict
	slotActual
	slotPrediction
	slotLabel
	slotAgentVerdict
	slotHumanVerdict
	slotVerdictZh
	slotExpectedZh
	slots // number of slots
)

// canonical holds the fields' names in tree.Evaluation, as its Check uses them.
var canonical = [slots]string{
	slotID: "id", slotRun: "run_id", slotCase: "case_id", slotAttempt: "attempt", slotAt: "at",
	slotSceneID: "scene.id", slotSceneType: "scene.type", slotRoute: "scene.route",
	slotProduct: "scope.product", slotSuite: "scope.suite", slotTest: "scope.test",
	slotSuiteTests: "scope.suite_tests", slotPosition: "scope.position", slotBuild: "scope.build",
	slotPrompt: "prompt", slotObservation: "observation", slotJudgment: "judgment", slotTruth: "ground_truth",
	slotCorrect: "correct", slotDirection: "direction", slotReason: "reason", slotExcuse: "excuse",
	slotAgent: "agent.name", slotVersion: "agent.version", slotModel: "agent.model", slotTrial: "trial",
	slotEvidence: "evidence", slotResult: "result", slotFirst: "first_judgment",
}

// objectKind is a kind of object whose members have a meaning.
type objectKind int

const (
	top objectKind = iota
	scene
	scope
	agent
	testCase
	verdict // the evaluation object of the public implementation
)

// spelling is the meaning of a key: the slot it fills, or the object it opens. A key with both opens an object, and
// fills the slot if its value is not an object.
type spelling struct {
	slot  slot
	group objectKind
}

// spellings returns the meaning of key in an object of the group g; false for none.
//
// It has only keys with the same meaning in all tools. With a key that another tool uses for something else, good
// lines would be rejected.
func spellings(g objectKind, key []byte) (spelling, bool) {
	var s spelling
	switch g {
	case top:
		s = topSpelling(string(key))
	case scene:
		s.slot = sceneSpelling(string(key))
	case scope:
		s.slot = scopeSpelling(string(key))
	case agent:
		s.slot = agentSpelling(string(key))
	case testCase:
		s.slot = testSpelling(string(key))
	case verdict:
		s.slot = verdictSpelling(string(key))
	}
	return s, s != spelling{}
}

// topSpelling returns the meaning of a key at the top level. Members of a test case and of a scope may be there, too,
// under names that are unambiguous by themselves.
func topSpelling(key string) spelling {
	switch key {
	case "scene":
		return spelling{slotSceneID, scene}
	case "scope":
		return spelling{none, scope}
	case "agent":
		return spelling{slotAgent, agent}
	case "testCase", "test_case":
		return spelling{none, testCase}
	case "evaluation":
		return spelling{none, verdict}
	case "id", "evaluation_id", "evaluationId":
		return spelling{slot: slotID}
	case "run_id", "runId":
		return spelling{slot: slotRun}
	case "attempt":
		return spelling{slot: slotAttempt}
	case "at", "timestamp", "created_at", "createdAt":
		return spelling{slot: slotAt}
	case "observation":
		return spelling{slot: slotObservation}
	case "judgment", "judgement", "agentJudgment", "agent_judgment", "agentJudgement", "agent_judgement":
		return spelling{slot: slotJudgment}
	case "first_judgment", "firstJudgment":
		return spelling{slot: slotFirst}
	case "result", "agentResult", "agent_result":
		return spelling{slot: slotResult}
	case "direction":
		return spelling{slot: slotDirection}
	case "reason", "evaluatorReason", "evaluator_reason":
		return spelling{slot: slotReason}
	case "excuse":
		return spelling{slot: slotExcuse}
	case "note":
		return spelling{slot: slotNote}
	case "trial", "trial_id", "trialId":
		return spelling{slot: slotTrial}
	case "evidence":
		return spelling{slot: slotEvidence}
	case "scene_type", "sceneType":
		return spelling{slot: slotSceneType}
	case "agent_name", "agentName":
		return spelling{slot: slotAgent}
	case "agent_version", "agentVersion":
		return spelling{slot: slotVersion}
	case "agent_model", "agentModel":
		return spelling{slot: slotModel}
	}
	for _, find := range []func(string) slot{testSpelling, flatScopeSpelling, correctSpelling, pairSpelling} {
		if s := find(key); s != none {
			return spelling{slot: s}
		}
	}
	return spelling{}
}

// testSpelling returns the slot of a member of a test case, which may also be at the top.
func testSpelling(key string) slot {
	switch key {
	case "case_id", "caseId":
		return slotCase
	case "scene_id", "sceneId", "ui_scene_id", "uiSceneId":
		return slotSceneID
	case "route", "route_path", "routePath":
		return slotRoute
	case "prompt":
		return slotPrompt
	case "ground_truth", "groundTruth", "expected":
		return slotTruth
	}
	return none
}

// sceneSpelling returns the slot of a member of a scene.
func sceneSpelling(key string) slot {
	switch key {
	case "id", "scene_id", "sceneId":
		return slotSceneID
	case "type":
		return slotSceneType
	case "route", "route_path", "routePath":
		return slotRoute
	}
	return none
}

// scopeSpelling returns the slot of a member of a scope.
func scopeSpelling(key string) slot {
	switch key {
	case "suite":
		return slotSuite
	case "test":
		return slotTest
	}
	return flatScopeSpelling(key)
}

// flatScopeSpelling returns the slot of a scope's member whose name is unambiguous outside the scope, too.
func flatScopeSpelling(key string) slot {
	switch key {
	case "product":
		return slotProduct
	case "suite_id", "suiteId":
		return slotSuite
	case "test_id", "testId":
		return slotTest
	case "suite_tests", "suiteTests", "currentSuiteTests":
		return slotSuiteTests
	case "position", "currentPosition":
		return slotPosition
	case "build", "build_id", "buildId", "commit":
		return slotBuild
	}
	return none
}

// agentSpelling returns the slot of a member of an agent.
func agentSpelling(key string) slot {
	switch key {
	case "name":
		return slotAgent
	case "version":
		return slotVersion
	case "model":
		return slotModel
	}
	return none
}

// verdictSpelling returns the slot of a member of an evaluation object.
func verdictSpelling(key string) slot {
	switch key {
	case "matchingAnalysis", "matching_analysis", "reason":
		return slotReason
	}
	return correctSpelling(key)
}

// correctSpelling returns the slot of a key for whether the agent was right.
func correctSpelling(key string) slot {
	switch key {
	case "correct", "isAgentCorrect", "is_agent_correct", "isCorrect", "is_correct":
		return slotCorrect
	}
	return none
}
