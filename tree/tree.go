// Package tree defines memories and the laws that every memory obeys.
//
// A wrong judgment becomes a case (level 1); cases with one root cause become an experience (level 2); experiences of
// one error type become a strategy (level 3). All three are one type, Node. Input is an Evaluation, and a stage of
// memtree proposes a Change. Package ledger defines the record of what happens to memories; package store is the
// interface of the storage for both.
//
// The package has no state and does no input or output; everything in it is safe for concurrent use as long as callers
// do not share a value they write.
//
// Where to look:
//   - check.go: the laws; change.go: changes; errors.go: errors
//   - evaluation.go, evidence.go, raw.go: input; miss.go, expect.go: what was missed
//   - id.go, route.go, place.go: identity and place; decision.go, refused.go: people's decisions
package tree

import (
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Type is the type of a node; it determines its level.
type Type string

// The types of node.
const (
	Case       Type = "case"       // level 1: one wrong judgment, immutable evidence
	Experience Type = "experience" // level 2: what cases of one cause have in common
	Strategy   Type = "strategy"   // level 3: what experiences of one error type have in common
)

// Level returns 1 for a case, 2 for an experience, 3 for a strategy, 0 otherwise.
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

// Status is whether a node is in use, and why not.
type Status string

// The statuses. Guidance has only probation and active nodes, and in one run of ten a node that was held back.
const (
	Probation   Status = "probation"   // in use, but not yet confirmed by later cases of other tests or by runs
	Active      Status = "active"      // in use
	Quarantined Status = "quarantined" // not in use: imported and not yet promoted, or likely to harm and measured again
	Retired     Status = "retired"     // not in use: an experience or strategy that lost its evidence, or harms
	Archived    Status = "archived"    // not in use, for the reason in ArchivedFor
)

// Mark is a person's lasting decision on a node.
type Mark string

// The marks of a node.
const (
	Unmarked Mark = ""    // no lasting decision
	Pinned   Mark = "pin" // learning keeps the node's text; measured effects and pruning do not take it out of use
	Banned   Mark = "ban" // the node is never in use, whatever its status
)

// Node is one memory, of any level. Its JSON field names are those of the design document the tree comes from, so that
// readers of that document can read an export.
type Node struct {
	ID           string              `json:"id"` // c_…, e_… or s_…, see EvidenceID and GroupID
	Type         Type                `json:"type"`
	Level        int                 `json:"level"`
	ErrorType    string              `json:"errorType"`
	Direction    taxonomy.Direction  `json:"direction"`
	Content      Content             `json:"content"`
	Metadata     Metadata            `json:"metadata"`
	Parent       string              `json:"parent,omitempty"` // id of the node one level above
	Children     []string            `json:"children"`         // ids of nodes one level below, sorted; empty for a case
	CaseData     *CaseData           `json:"caseData,omitempty"`
	Scene        Scene               `json:"scene"`
	Scope        Scope               `json:"scope"`
	Lang         string              `json:"lang"` // "zh" or "en"
	Status       Status              `json:"status"`
	Mark         Mark                `json:"mark,omitempty"`
	Revision     int                 `json:"revision"` // 1 when added, incremented by every change
	Origin       Origin              `json:"origin"`
	Provenance   Provenance          `json:"provenance"`
	Occurrences  []Occurrence        `json:"occurrences"`            // runs with the mistake, by time, then evaluation
	Counters     map[string]Counters `json:"counters,omitempty"`     // runs that received the node, by origin id
	Credit       *Credit             `json:"credit,omitempty"`       // measured effect on the runs that received it
	SupersededBy string              `json:"supersededBy,omitempty"` // id of the node that replaced this one
	ArchivedFor  string              `json:"archivedFor,omitempty"`  // the reason, for an archived node
	Elsewhere    *Elsewhere          `json:"elsewhere,omitempty"`    // cases that remained in another tree
	Taught       *Taught             `json:"taught,omitempty"`       // only for an experience that was taught
	LastChange   string              `json:"lastChange,omitempty"`   // key of the change that made the revision
	Decision     *Decision           `json:"word,omitempty"`         // a person's latest decision on the node
}

// Elsewhere describes the cases of an experience or strategy that was imported without them: counts and ids.
type Elsewhere struct {
	Cases int      `json:"cases"`
	Tests int      `json:"tests"` // different tests, as counted in one export
	Runs  int      `json:"runs"`
	IDs   []string `json:"ids,omitempty"` // ids of the cases, sorted; an id is the hash of the evidence
}

// Content is the text of a memory, in Node.Lang.
type Content struct {
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description"`           // what went wrong, for people
	Guidance    string       `json:"guidance"`              // what to check and what is right, for the agent
	Confidence  float64      `json:"confidence"`            // confidence in the memory, 0 to 1
	AppliesWhen []string     `json:"appliesWhen,omitempty"` // conditions under which the memory applies, one sentence each
	NotWhen     []string     `json:"notWhen,omitempty"`     // conditions under which the memory does not apply
	Lessons     []Lesson     `json:"lessons,omitempty"`     // at most MaxLessons
	Scenes      []string     `json:"scenes,omitempty"`      // scene types of the memory's cases, most frequent first
	Other       *Translation `json:"other,omitempty"`       // the text in the other language, if the writer provided it
}

// Lesson is one thing learned: a kind of check, the things on which it was missed, and how. Kind, What and Mistake are
// what happened. Check is an instruction: the catalogue's sentence, unless a person or a model wrote a better one.
type Lesson struct {
	ID   string   `json:"id"`             // l_…, see LessonID
	Kind string   `json:"kind,omitempty"` // id of a check of the taxonomy or of the tree's own; "" if none fits
	What []string `json:"what,omitempty"` // things on which the check was missed, at most MaxThings
	// Scenes, in a strategy, are the scene types with most of the misses: sorted, at most MaxThings.
	Scenes  []string `json:"scenes,omitempty"`
	Check   string   `json:"check"`             // what to do
	Mistake string   `json:"mistake,omitempty"` // what went wrong
	Instead string   `json:"instead,omitempty"`
	// From is the author of Check: catalogue, person or model, "" if unknown.
	From  string   `json:"from,omitempty"`
	Cites []string `json:"cites,omitempty"` // ids of the cases that the lesson rests on
	Tests int      `json:"tests,omitempty"` // number of different tests that missed the check
	Times int      `json:"times,omitempty"` // number of runs that missed the check
}

// Metadata holds the dates and counts of a node. The dates are times of evaluations; in a taught lesson, of the
// teaching.
type Metadata struct {
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	UsageCount  int       `json:"usageCount"`  // runs that received the node
	SuccessRate float64   `json:"successRate"` // share of UsageCount that was right, 0 to 1
}

// CaseData is the evidence of a case and its analysis. TestCase, AgentJudgment and EvaluatorReason are evidence and
// never change. Misses is the analysis as data; ActualError, ErrorReason and AvoidanceHint put it in sentences. A
// later analysis may replace these four.
type CaseData struct {
	TestCase        TestCase `json:"testCase"`
	AgentJudgment   string   `json:"agentJudgment"`             // content of a JSON string; other JSON in canonical form
	EvaluatorReason string   `json:"evaluatorReason,omitempty"` // the evaluator's explanation
	ActualError     string   `json:"actualError"`               // the specific error of this run
	ErrorReason     string   `json:"errorReason"`               // root cause of ActualError
	AvoidanceHint   string   `json:"avoidanceHint"`
	Misses          []Miss   `json:"misses,omitempty"` // what was missed, most important first
	About           *About   `json:"about,omitempty"`  // a person's decisions; prevents another analysis

	Evidence *Evidence `json:"evidence,omitempty"` // from the test tool, of the first run that has any; no part of the id
}

// TestCase is the test in which the agent's judgment was wrong.
type TestCase struct {
	CaseID      string `json:"case_id"`
	SceneID     string `json:"scene_id"`
	Prompt      string `json:"prompt"`
	GroundTruth Raw    `json:"ground_truth"` // canonical JSON; null when there was none
}

// Scene is the page or step of the product under test.
type Scene struct {
	ID    string `json:"id,omitempty"`
	Type  string `json:"type,omitempty"`  // a scene type of the taxonomy, or the team's own
	Route string `json:"route,omitempty"` // route of the page; in a node a pattern, see Route
}

// Scope is where a memory applies. An empty field restricts nothing. A memory with SuiteTests applies at its place in
// the suite, which its neighbouring tests identify: see SamePlace.
type Scope struct {
	Product    string   `json:"product,omitempty"`
	Suite      string   `json:"suite,omitempty"`
	Test       string   `json:"test,omitempty"`
	SuiteTests []string `json:"suite_tests,omitempty"`
	Position   int      `json:"position,omitempty"` // zero-based index in SuiteTests

	// Build is the version or hash of the product under test. It does not limit where a memory applies. In a memory it
	// is the build in which the mistake was last made; in a query it is the present build. Only if the two are equal
	// are facts of that run known to hold still.
	Build string `json:"build,omitempty"`
}

// Origin identifies the tree in which a node was created.
type Origin struct {
	ID    string `json:"id,omitempty"`
	Label string `json:"label,omitempty"`
}

// Provenance records who or what wrote the present revision, and from what.
type Provenance struct {
	By       string   `json:"by"`                 // formation, evolution, person or import
	Analyst  string   `json:"analyst,omitempty"`  // what analysed the mistake: "rules" or "model"
	Model    string   `json:"model,omitempty"`    // name of the model
	Template string   `json:"template,omitempty"` // id and version of the prompt
	Job      string   `json:"job,omitempty"`      // key of the evolution job that wrote the revision
	Cites    []string `json:"cites,omitempty"`    // ids of the nodes that the revision was written from
	Left     []string `json:"left,omitempty"`     // ids of cases that the writer left out, as of another cause; sorted
	Lost     []string `json:"lost,omitempty"`     // ids of cases that people took from the node since then; sorted
	When     bool     `json:"when,omitempty"`     // a person wrote the conditions too, not only the text
	Again    bool     `json:"again,omitempty"`    // the model failed and rules wrote it: analyse again

	At time.Time `json:"at,omitzero"` // when a person last wrote the text; such a text wins in merges
}

// Unread reports whether rules alone wrote a memory, so that a model may still analyse what it was written from.
func (p *Provenance) Unread() bool { return p.Analyst == "rules" && (p.Again || p.Model == "") }

// Occurrence is one run that made the mistake of a case, the first of them too.
type Occurrence struct {
	Evaluation string    `json:"evaluation"` // key of the evaluation of the run
	RunID      string    `json:"run_id,omitempty"`
	CaseID     string    `json:"case_id,omitempty"`
	At         time.Time `json:"at"`
	Near       bool      `json:"near,omitempty"` // the evidence is similar, not equal
}

// Counters count the runs of one origin (see Origin) that received a node.
type Counters struct {
	Used    int `json:"used"`    // runs that received the node
	Correct int `json:"correct"` // right runs among Used
}

// Live reports whether n is in use and may be injected: active or on probation, not banned, not superseded.
func (n *Node) Live() bool {
	return (n.Status == Active || n.Status == Probation) && n.Mark != Banned && n.SupersededBy == ""
}

// Standing returns the status of n for people: "banned" for one that a person banned, since its status is only
// what an undo restores.
func (n *Node) Standing() Status {
	if n.Mark == Banned {
		return BuriedFor
	}
	return n.Status
}

// Text returns the text by which a query finds n. Of a case it is the prompt; of an experience or strategy title,
// description and conditions. A lesson for which OwnWords is true adds its advice. If a person edited the conditions
// of a lesson, its text is these and the advice only.
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
