package tree

import (
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Evaluation is one judged run of an agent on one test case, and the input of memtree. Correct is whether the judgment
// was right; Direction is in which way it was wrong. If one of the two is absent, memtree derives it from Judgment and
// GroundTruth.
type Evaluation struct {
	ID          string             `json:"id,omitempty"`     // key of the evaluation; may be empty, see Key
	RunID       string             `json:"run_id,omitempty"` // may be empty, see Identify
	CaseID      string             `json:"case_id,omitempty"`
	Attempt     int                `json:"attempt,omitempty"` // from 1; 0: unknown
	At          time.Time          `json:"at,omitzero"`
	Scene       Scene              `json:"scene,omitzero"`
	Scope       Scope              `json:"scope,omitzero"`
	Prompt      string             `json:"prompt"`
	Observation string             `json:"observation,omitempty"`  // what the agent saw when it judged
	Judgment    Raw                `json:"judgment,omitempty"`     // what the agent concluded, any JSON
	GroundTruth Raw                `json:"ground_truth,omitempty"` // what was true, any JSON
	Correct     *bool              `json:"correct,omitempty"`
	Direction   taxonomy.Direction `json:"direction,omitempty"`
	Excuse      Excuse             `json:"excuse,omitempty"` // why the run shows nothing about its judge
	Reason      string             `json:"reason,omitempty"` // the evaluator's explanation
	Agent       Agent              `json:"agent,omitzero"`
	Trial       string             `json:"trial,omitempty"`    // trial id from Memory.Guide; links the run to its guidance
	Evidence    *Evidence          `json:"evidence,omitempty"` // what the test tool recorded of the run
}

// Agent identifies the agent that judged.
type Agent struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Model   string `json:"model,omitempty"`
}

// Limits of an Evaluation.
const (
	MaxField    = 1 << 20 // bytes of one text or JSON value of an Evaluation
	MaxName     = 1 << 10 // bytes of an id, name or route
	maxSuite    = 1 << 12 // tests in one suite
	maxAttempts = 1 << 20 // largest Evaluation.Attempt
)

// Key returns the key under which a store accepts the evaluation: ID, or if ID is empty, a hash of run, case, attempt,
// prompt and judgment. Evaluations with the same key are the same run. Call Identify first if RunID is empty.
func (e *Evaluation) Key() string {
	if e.ID != "" {
		return e.ID
	}
	return "v_" + Hash(e.RunID, e.CaseID, itoa(e.Attempt), e.Prompt, string(e.Judgment.Canonical()))
}

// Identify sets RunID if both ID and RunID are empty: to Trial, or if Trial is empty, to At. So the same judgment at
// another time is another run, and a run that is recorded twice is one run. If Trial and At are empty too, Identify
// changes nothing, and evaluations with equal content are the same run.
//
// Call Identify before setting At to a time that is not the run's own.
func (e *Evaluation) Identify() {
	switch {
	case e.ID != "" || e.RunID != "":
	case e.Trial != "":
		e.RunID = e.Trial
	case !e.At.IsZero():
		e.RunID = e.At.UTC().Format(time.RFC3339Nano)
	}
}

// Digest returns a hash of all fields except ID, At, Evidence and Excuse. A store compares the digests of evaluations
// with the same key to distinguish a duplicate from a contradiction, see store.Known.Judge.
func (e *Evaluation) Digest() string {
	correct := ""
	if e.Correct != nil {
		correct = "wrong"
		if *e.Correct {
			correct = "right"
		}
	}
	parts := []string{
		e.RunID, e.CaseID, itoa(e.Attempt), e.Scene.ID, e.Scene.Type, e.Scene.Route,
		e.Scope.Product, e.Scope.Suite, e.Scope.Test, itoa(e.Scope.Position), e.Prompt, e.Observation,
		string(e.Judgment.Canonical()), string(e.GroundTruth.Canonical()), correct, string(e.Direction), e.Reason,
		e.Agent.Name, e.Agent.Version, e.Agent.Model, e.Trial,
	}
	if e.Scope.Build != "" { // omitted when empty: evaluations older than the field keep their digests
		parts = append(parts, "build", e.Scope.Build)
	}
	return Hash(append(parts, e.Scope.SuiteTests...)...)
}

// Labelled reports whether Correct, Direction (even taxonomy.Environment) or GroundTruth is set.
func (e *Evaluation) Labelled() bool {
	return e.Correct != nil || e.Direction != taxonomy.None || !e.GroundTruth.Null()
}

// Check returns a *FieldError for the first field that is missing, is invalid or contradicts another field; else nil.
func (e *Evaluation) Check() error {
	for _, f := range []struct {
		name, text string
		limit      int
	}{
		{"id", e.ID, MaxName},
		{"run_id", e.RunID, MaxName},
		{"case_id", e.CaseID, MaxName},
		{"scene.id", e.Scene.ID, MaxName},
		{"scene.type", e.Scene.Type, MaxName},
		{"scene.route", e.Scene.Route, MaxName},
		{"scope.product", e.Scope.Product, MaxName}, {"scope.build", e.Scope.Build, MaxName},
		{"scope.suite", e.Scope.Suite, MaxName},
		{"scope.test", e.Scope.Test, MaxName},
		{"agent.name", e.Agent.Name, MaxName},
		{"agent.version", e.Agent.Version, MaxName},
		{"agent.model", e.Agent.Model, MaxName},
		{"trial", e.Trial, MaxName},
		{"prompt", e.Prompt, MaxField},
		{"observation", e.Observation, MaxField},
		{"judgment", string(e.Judgment), MaxField},
		{"ground_truth", string(e.GroundTruth), MaxField},
		{"reason", e.Reason, MaxField},
	} {
		if err := CheckText(f.name, f.text, f.limit); err != nil {
			return err
		}
	}
	return e.checkValues()
}

func (e *Evaluation) checkValues() error {
	if e.Prompt == "" {
		return &FieldError{Field: "prompt", Problem: "is missing; say what the agent was asked to test"}
	}
	if e.Judgment.Null() {
		return &FieldError{Field: "judgment", Problem: "is missing; say what the agent judged, in any JSON"}
	}
	if err := e.Judgment.Check(); err != nil {
		return &FieldError{Field: "judgment", Problem: err.Error()}
	}
	if err := e.GroundTruth.Check(); err != nil {
		return &FieldError{Field: "ground_truth", Problem: err.Error()}
	}
	if e.Direction != taxonomy.None && !e.Direction.Valid() && e.Direction != taxonomy.Environment {
		return &FieldError{Field: "direction", Problem: "is " + quote(string(e.Direction)) +
			"; use false_pass, false_fail, other or environment"}
	}
	if e.Direction == taxonomy.Environment && e.Correct != nil {
		return &FieldError{Field: "direction", Problem: "is environment although correct is given; leave one of them out"}
	}
	if e.Excuse != "" && !e.Excuse.Valid() {
		return &FieldError{Field: "excuse", Problem: "is " + quote(string(e.Excuse)) + "; use healed, retried or environment"}
	}
	if e.Correct != nil && *e.Correct && e.Direction != taxonomy.None {
		return &FieldError{Field: "direction", Problem: "is given although correct is true; leave one of them out"}
	}
	if e.Attempt < 0 || e.Attempt > maxAttempts {
		return &FieldError{Field: "attempt", Problem: "is " + itoa(e.Attempt) + "; use 1 for the first try"}
	}
	if y := e.At.Year(); !e.At.IsZero() && (y < 1970 || y > 2200) {
		return &FieldError{Field: "at", Problem: "is in the year " + itoa(y) +
			"; use the time of the run, such as 2026-01-28T09:00:00Z"}
	}
	if err := e.Evidence.check(); err != nil {
		return err
	}
	return e.Scope.check()
}

func (s *Scope) check() error {
	if len(s.SuiteTests) > maxSuite {
		return &FieldError{Field: "scope.suite_tests",
			Problem: "has " + itoa(len(s.SuiteTests)) + " entries; the most is " + itoa(maxSuite)}
	}
	for _, t := range s.SuiteTests {
		if err := CheckText("scope.suite_tests", t, MaxName); err != nil {
			return err
		}
	}
	if s.Position < 0 || (s.Position > 0 && s.Position >= max(len(s.SuiteTests), maxSuite)) {
		return &FieldError{Field: "scope.position",
			Problem: "is " + itoa(s.Position) + "; use the zero-based place in suite_tests"}
	}
	return nil
}
