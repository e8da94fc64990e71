package mcpserver

import (
	"cmp"
	"encoding/json"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxLine is the maximum length of an entry of a list of texts, in characters.
const maxLine = 500

// scene is the location of a test in the product.
type scene struct {
	ID    string `json:"id,omitempty" limit:"250" jsonschema:"your name for the page or step"`
	Type  string `json:"type,omitempty" limit:"250"`
	Route string `json:"route,omitempty" limit:"250"`
}

// scope is the product, suite and test.
type scope struct {
	Product string `json:"product,omitempty" limit:"250" jsonschema:"product under test"`
	Suite   string `json:"suite,omitempty" limit:"250" jsonschema:"suite that the test belongs to"`
	Test    string `json:"test,omitempty" limit:"250" jsonschema:"id of the test case; the same in every run of it"`
	Build   string `json:"build,omitempty" limit:"250" jsonschema:"version or hash of what is tested"`
}

// agent identifies the judge.
type agent struct {
	Name    string `json:"name,omitempty" limit:"250" jsonschema:"name of the agent that judged"`
	Version string `json:"version,omitempty" limit:"250" jsonschema:"its version"`
	Model   string `json:"model,omitempty" limit:"250" jsonschema:"the language model it used"`
}

// run is one judged run, as input of several tools.
type run struct {
	Prompt      string          `json:"prompt" limit:"300000"`
	Judgment    json.RawMessage `json:"judgment"`
	Scene       scene           `json:"scene,omitzero" jsonschema:"where in the product"`
	Scope       scope           `json:"scope,omitzero" jsonschema:"which product, suite and test"`
	Observation string          `json:"observation,omitempty" limit:"300000"`
	RunID       string          `json:"run_id,omitempty" limit:"250"`
	Attempt     int             `json:"attempt,omitempty" limit:"1000000"`
	Agent       agent           `json:"agent,omitzero" jsonschema:"who judged; left out: your own client"`
}

func (s scene) tree() tree.Scene { return tree.Scene{ID: s.ID, Type: s.Type, Route: s.Route} }

func (s scope) tree() tree.Scope {
	return tree.Scope{Product: s.Product, Suite: s.Suite, Test: s.Test, Build: s.Build}
}

// evaluation converts the run for memory.
func (r *run) evaluation(c toolCall) tree.Evaluation {
	return tree.Evaluation{
		RunID: r.RunID, CaseID: r.Scope.Test, Attempt: r.Attempt, Scene: r.Scene.tree(), Scope: r.Scope.tree(),
		Prompt: r.Prompt, Observation: r.Observation, Judgment: unquoted(r.Judgment),
		Agent: tree.Agent{Name: cmp.Or(r.Agent.Name, c.client), Version: r.Agent.Version, Model: r.Agent.Model},
	}
}

// unquoted returns the object in a JSON string, since agents often send JSON as a string. It returns any other value
// unchanged.
func unquoted(value json.RawMessage) tree.Raw {
	var held string
	if kindOf(value) != "string" || json.Unmarshal(value, &held) != nil || kindOf([]byte(held)) != "object" {
		return tree.Raw(value)
	}
	return tree.Raw(held)
}

// directions explain the values of a direction to an agent.
const directions = "false_pass (a defect was missed), false_fail (a defect was reported that is not there) or other"

// directionOf returns the direction that a text names.
func directionOf(s string) taxonomy.Direction { return taxonomy.Direction(s) }
