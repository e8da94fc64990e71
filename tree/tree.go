// Package tree says what a memory is and which laws every memory obeys.
//
// A wrong judgement becomes a case (level 1); cases with one root cause become
// an experience (level 2); experiences of one error type become a strategy
// (level 3). All three are one type, Node. What comes in is an Evaluation, what
// a stage proposes is a Change, what a guided run leaves behind is a Trial, and
// what keeps them all is a Store.
//
// The package has no state and does no input or output; everything in it is
// safe for concurrent use as long as callers do not share a value they write.
//
// Where to look:
//   - check.go: the laws; change.go, store.go, errors.go: changes, and the contract of a store
//   - evaluation.go, evidence.go, raw.go: what comes in; miss.go, expect.go: what was missed
//   - trial.go, correction.go, ablation.go, tally.go: entries of the ledger
//   - id.go, route.go, place.go: identity and place; decision.go, purge.go, refused.go: what people
//     decided
package tree

import (
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Type names a level of the tree in words.
type Type string

// The types of node, and the level each has.
const (
	Case       Type = "case"       // level 1: one wrong judgement, immutable evidence
	Experience Type = "experience" // level 2: what cases of one cause have in common
	Strategy   Type = "strategy"   // level 3: what experiences of one error type have in common
)

// Level returns 1 for a case, 2 for an experience, 3 for a strategy, 0 for
// anything else.
func (t Type) Level() int {
	switch t {
	case Case:
		return 1
	case Experience:
		return 2
	case Strategy:
		return 3
	}
	return 0
}

// Status is where a node is in its life.
type Status string

// The statuses. Only probation and active nodes can be put into a prompt.
const (
	Probation   Status = "probation"   // used, though not yet confirmed by enough later cases
	Active      Status = "active"      // used
	Quarantined Status = "quarantined" // imported; not used until a person promotes it
	Retired     Status = "retired"     // an abstraction that nothing is left of
	Archived    Status = "archived"    // out of use, for the reason in ArchivedFor
)

// Mark is what a person decided about a node; it overrides Status.
type Mark string

// The marks.
const (
	Unmarked Mark = ""
	Pinned   Mark = "pin"
	Banned   Mark = "ban"
)

// Node is one memory, of any level. Field names in JSON are those of the design
// document the tree comes from, so that its readers can read an export.
type Node struct {
	ID           string              `json:"id"` // c_…, e_… or s_…, see CaseID and GroupID
	Type         Type                `json:"type"`
	Level        int                 `json:"level"`
	ErrorType    string              `json:"errorType"`
	Direction    taxonomy.Direction  `json:"direction"`
	Content      Content             `json:"content"`
	Metadata     Metadata            `json:"metadata"`
	Parent       string              `json:"parent,omitempty"`
	Children     []string            `json:"children"` // sorted; empty for a case
	CaseData     *CaseData           `json:"caseData,omitempty"`
	Scene        Scene               `json:"scene"`
	Scope        Scope               `json:"scope"`
	Lang         string              `json:"lang"` // "zh" or "en"
	Status       Status              `json:"status"`
	Mark         Mark                `json:"mark,omitempty"`
	Revision     int                 `json:"revision"` // 1 when added, one more with every change
	Origin       Origin              `json:"origin"`
	Provenance   Provenance          `json:"provenance"`
	Occurrences  []Occurrence        `json:"occurrences"`        // of the same mistake, sorted by time, then evaluation
	Counters     map[string]Counters `json:"counters,omitempty"` // use by origin id; merged by maximum
	Credit       *Credit             `json:"credit,omitempty"`   // what the runs it was given to say of it
	SupersededBy string              `json:"supersededBy,omitempty"`
	ArchivedFor  string              `json:"archivedFor,omitempty"` // the reason, for an archived node
	Elsewhere    *Elsewhere          `json:"elsewhere,omitempty"`   // evidence that stayed in another tree
	Taught       *Taught             `json:"taught,omitempty"`      // of an experience that somebody taught
	LastChange   string              `json:"lastChange,omitempty"`  // key of the change that made this revision
	Decision     *Decision           `json:"word,omitempty"`        // the last thing a person said of it
}

// Elsewhere says what an abstraction rests on when it came without its cases: their
// counts and their ids.
type Elsewhere struct {
	Cases int      `json:"cases"`
	Tests int      `json:"tests"` // different tests, as counted in one export
	Runs  int      `json:"runs"`
	IDs   []string `json:"ids,omitempty"` // ids of the cases, sorted; a case's id is the hash of its evidence
}

// Content is what a memory says.
type Content struct {
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description"` // what went wrong, for people
	Guidance    string       `json:"guidance"`    // what to check and what is right, for the agent
	Confidence  float64      `json:"confidence"`  // 0 to 1
	AppliesWhen []string     `json:"appliesWhen,omitempty"`
	NotWhen     []string     `json:"notWhen,omitempty"`
	Lessons     []Lesson     `json:"lessons,omitempty"` // at most 4
	Scenes      []string     `json:"scenes,omitempty"`  // scene types it was seen in, the most frequent first
	Other       *Translation `json:"other,omitempty"`   // the same in the other language, if its writer gave it
}

// Lesson is one thing learned: a kind of check, the things it was missed on, and
// how. Kind, What and Mistake are facts. Check is a sentence that says what to do;
// the catalogue's, unless a person or a model gave a better one.
type Lesson struct {
	ID   string   `json:"id"`             // l_…, see LessonID
	Kind string   `json:"kind,omitempty"` // id of a check of the taxonomy; "" where none fits
	What []string `json:"what,omitempty"` // the things it was missed on, at most MaxThings
	// Scenes, in a strategy, are the scene types where most of it was missed: sorted, at most MaxThings.
	Scenes  []string `json:"scenes,omitempty"`
	Check   string   `json:"check"`
	Mistake string   `json:"mistake,omitempty"` // one sentence of somebody's
	Instead string   `json:"instead,omitempty"`
	// From says whose sentence Check is: catalogue, person or model, "" where that was not kept.
	From  string   `json:"from,omitempty"`
	Cites []string `json:"cites,omitempty"` // ids of the cases it rests on
	Tests int      `json:"tests,omitempty"` // different tests it was missed in
	Times int      `json:"times,omitempty"` // runs it was missed in
}

// Metadata is the history of a node in numbers. Times come from evaluations.
type Metadata struct {
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	UsageCount  int       `json:"usageCount"`
	SuccessRate float64   `json:"successRate"` // 0 to 1
}

// CaseData is the evidence of a case and its analysis. TestCase, AgentJudgment and
// EvaluatorReason are evidence and never change. The rest is analysis and may be made
// again: Misses are its facts; ActualError, ErrorReason and AvoidanceHint its sentences.
type CaseData struct {
	TestCase        TestCase `json:"testCase"`
	AgentJudgment   string   `json:"agentJudgment"`             // a JSON string's text, other JSON in canonical form
	EvaluatorReason string   `json:"evaluatorReason,omitempty"` // what the evaluator said
	ActualError     string   `json:"actualError"`               // the specific error, this time
	ErrorReason     string   `json:"errorReason"`               // its root cause
	AvoidanceHint   string   `json:"avoidanceHint"`
	Misses          []Miss   `json:"misses,omitempty"` // what was missed, the weightiest first
	About           *About   `json:"about,omitempty"`  // what a person said of these; then they are not read again

	Evidence *Evidence `json:"evidence,omitempty"` // of the run, as its test tool left it; no part of the id
}

// TestCase is the test the agent was judged on.
type TestCase struct {
	CaseID      string `json:"case_id"`
	SceneID     string `json:"scene_id"`
	Prompt      string `json:"prompt"`
	GroundTruth Raw    `json:"ground_truth"` // canonical JSON; null when there was none
}

// Scene is the place in the product under test.
type Scene struct {
	ID    string `json:"id,omitempty"`
	Type  string `json:"type,omitempty"`  // a scene type of the taxonomy, or the team's own word
	Route string `json:"route,omitempty"` // in a node: a pattern, see Route
}

// Scope is where a memory applies. An empty field means everywhere. A memory
// with SuiteTests applies at its place in the suite, which is known by the tests
// around it: see SamePlace.
type Scope struct {
	Product    string   `json:"product,omitempty"`
	Suite      string   `json:"suite,omitempty"`
	Test       string   `json:"test,omitempty"`
	SuiteTests []string `json:"suite_tests,omitempty"`
	Position   int      `json:"position,omitempty"` // zero-based, in SuiteTests

	// Build is the version or hash of what is tested. It does not limit where a memory
	// applies. In a memory it is the build in which the mistake was last made; in a
	// query, the present build. Only if the two are equal is what was found then known
	// to be there still.
	Build string `json:"build,omitempty"`
}

// Origin is the tree a node was made in.
type Origin struct {
	ID    string `json:"id,omitempty"`
	Label string `json:"label,omitempty"`
}

// Provenance is who made the present revision, and from what.
type Provenance struct {
	By       string   `json:"by"`                // formation, evolution, person or import
	Analyst  string   `json:"analyst,omitempty"` // "rules" or "model"
	Model    string   `json:"model,omitempty"`
	Template string   `json:"template,omitempty"` // id and version of the prompt
	Job      string   `json:"job,omitempty"`
	Cites    []string `json:"cites,omitempty"`
	Left     []string `json:"left,omitempty"`  // those of Cites that its writer left out, as of another cause; sorted
	Lost     []string `json:"lost,omitempty"`  // cases that people took from it since it was written; sorted
	When     bool     `json:"when,omitempty"`  // of a lesson that a person worded: its conditions are that person's too
	Again    bool     `json:"again,omitempty"` // the model failed and the rules stepped in: analyse again

	At time.Time `json:"at,omitzero"` // when a person decided on what the memory says; such words win in merges
}

// Unread reports whether rules alone made a memory: a model that comes later may read what it was made from.
func (p *Provenance) Unread() bool { return p.Analyst == "rules" && (p.Again || p.Model == "") }

// Occurrence is one more run that made the mistake of a case.
type Occurrence struct {
	Evaluation string    `json:"evaluation"` // its id
	RunID      string    `json:"run_id,omitempty"`
	CaseID     string    `json:"case_id,omitempty"`
	At         time.Time `json:"at"`
	Near       bool      `json:"near,omitempty"` // nearly the same evidence, not exactly
}

// Counters count the use of a node in one origin.
type Counters struct {
	Used    int `json:"used"`
	Correct int `json:"correct"`
}

// Live reports whether the node may be retrieved for a prompt: active or on
// probation, not banned, not superseded.
func (n *Node) Live() bool {
	return (n.Status == Active || n.Status == Probation) && n.Mark != Banned && n.SupersededBy == ""
}

// Text returns the words by which a query finds the node: a case's prompt; the
// title, description and conditions of an experience or strategy, and the advice that a person worded. One
// that a person edited is found by that person's conditions and advice alone, and not by what it said before.
func (n *Node) Text() string {
	if n.CaseData != nil {
		return n.CaseData.TestCase.Prompt
	}
	all := append([]string{n.Content.Title, n.Content.Description}, n.Content.AppliesWhen...)
	if n.OwnWords() {
		if when := n.Content.AppliesWhen; n.Taught == nil && len(when) > 0 {
			all = slices.Clone(when)
		}
		for _, l := range n.Content.Lessons {
			all = append(all, l.Check, l.Instead)
		}
	}
	return strings.Join(all, "\n")
}
