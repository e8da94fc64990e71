package ingest

import (
	"maps"
	"strings"
	"sync"
)

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

// A spellingTable has the keys that fill each slot, separated by commas.
type spellingTable map[slot]string

// The keys of an object of each kind are those of its tables. At the top level, members of a test case and of a scope
// may be there, too, under names that are unambiguous by themselves.
//
// The tables have only keys with the same meaning in all tools. With a key that another tool uses for something else,
// good lines would be rejected.
var (
	tables = map[objectKind][]spellingTable{
		top:      {topKeys, testKeys, flatScopeKeys, correctKeys, pairKeys},
		scene:    {sceneKeys},
		scope:    {{slotSuite: "suite", slotTest: "test"}, flatScopeKeys},
		agent:    {{slotAgent: "name", slotVersion: "version", slotModel: "model"}},
		testCase: {testKeys},
		verdict:  {{slotReason: "matchingAnalysis,matching_analysis,reason"}, correctKeys},
	}
	topKeys = spellingTable{
		slotID:          "id,evaluation_id,evaluationId",
		slotRun:         "run_id,runId",
		slotAttempt:     "attempt",
		slotAt:          "at,timestamp,created_at,createdAt",
		slotSceneType:   "scene_type,sceneType",
		slotObservation: "observation",
		slotJudgment:    "judgment,judgement,agentJudgment,agent_judgment,agentJudgement,agent_judgement",
		slotFirst:       "first_judgment,firstJudgment",
		slotResult:      "result,agentResult,agent_result",
		slotDirection:   "direction",
		slotReason:      "reason,evaluatorReason,evaluator_reason",
		slotExcuse:      "excuse",
		slotNote:        "note",
		slotTrial:       "trial,trial_id,trialId",
		slotEvidence:    "evidence",
		slotAgent:       "agent_name,agentName",
		slotVersion:     "agent_version,agentVersion",
		slotModel:       "agent_model,agentModel",
	}
	testKeys = spellingTable{
		slotCase:    "case_id,caseId",
		slotSceneID: "scene_id,sceneId,ui_scene_id,uiSceneId",
		slotRoute:   "route,route_path,routePath",
		slotPrompt:  "prompt",
		slotTruth:   "ground_truth,groundTruth,expected",
	}
	sceneKeys = spellingTable{
		slotSceneID:   "id,scene_id,sceneId",
		slotSceneType: "type",
		slotRoute:     "route,route_path,routePath",
	}
	flatScopeKeys = spellingTable{
		slotProduct:    "product",
		slotSuite:      "suite_id,suiteId",
		slotTest:       "test_id,testId",
		slotSuiteTests: "suite_tests,suiteTests,currentSuiteTests",
		slotPosition:   "position,currentPosition",
		slotBuild:      "build,build_id,buildId,commit",
	}
	correctKeys = spellingTable{slotCorrect: "correct,isAgentCorrect,is_agent_correct,isCorrect,is_correct"}
)

// spellings returns the meaning of each key, by the kind of object that it is in.
var spellings = sync.OnceValue(func() map[objectKind]map[string]spelling {
	out := map[objectKind]map[string]spelling{}
	for kind, list := range tables {
		out[kind] = map[string]spelling{}
		for _, table := range list {
			for s, keys := range table {
				for key := range strings.SplitSeq(keys, ",") {
					out[kind][key] = spelling{slot: s}
				}
			}
		}
	}
	maps.Copy(out[top], map[string]spelling{
		"scene": {slotSceneID, scene}, "scope": {none, scope}, "agent": {slotAgent, agent},
		"testCase": {none, testCase}, "test_case": {none, testCase}, "evaluation": {none, verdict},
	})
	return out
})
