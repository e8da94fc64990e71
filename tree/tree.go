// Package tree defines memories and the laws that every memory obeys.
//
// A wrong judgment becomes a case (level 1); cases with one root cause become an experience (level 2); experiences of
// one error type become a strategy (level 3). All three are one type, Node. The input of memtree is an Evaluation; its
// stages propose a Change. Package ledger defines the record of what happens to memories; package store defines the
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

// The statuses. Guidance has only probation and active nodes, and in one run of ten also a quarantined node that is
// HeldBack, to measure its effect again.
const (
	Probation   Status = "probation"   // in use, but not yet confirmed by later cases of other tests or by runs
	Active      Status = "active"      // in use
	Quarantined Status = "quarantined" // not in use: an import not yet promoted, or a memory likely to harm (HeldBack)
	Retired     Status = "retired"     // not in use: a memory that harms, or a lesson or strategy that lost its evidence
	Archived    Status = "archived"    // not in use, for the reason in ArchivedFor
)

// Standings returns what [Node.Standing] may return, in the order of the constants, then [BuriedFor].
func Standings() []Status {
	return []Status{Probation, Active, Quarantined, Retired, Archived, BuriedFor}
}

// Mark is whether a person pinned or banned a node. Node.Decision records who did, and when.
type Mark string

// The marks of a node.
const (
	Unmarked Mark = ""    // neither pinned nor banned
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

// Elsewhere describes the cases of an experience or strategy that was imported without them. After several imports of
// the same node, each number is the greatest that one of them had.
type Elsewhere struct {
	Cases int      `json:"cases"`
	Tests int      `json:"tests"`         // different tests of the cases
	Runs  int      `json:"runs"`          // runs that made the mistakes of the cases
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
	Scenes      []string     `json:"scenes,omitempty"`      // scene types of two or more of its tests, most tests first
	Other       *Translation `json:"other,omitempty"`       // the text in the other language; nil: there is none
}

// Lesson is one thing learned: which check was missed, on which things, and how. Kind, What and Mistake describe what
// happened. Check is an instruction for the agent: the catalogue's sentence, unless a person or a model wrote another.
type Lesson struct {
	ID   string   `json:"id"`             // l_…, see LessonID
	Kind string   `json:"kind,omitempty"` // id of a check of the taxonomy or of the tree's own; "" if none fits
	What []string `json:"what,omitempty"` // things on which the check was missed, at most MaxThings
	// Scenes, only in a strategy, are the scene types in which the check was missed most: sorted by name, at most
	// MaxThings.
	Scenes  []string `json:"scenes,omitempty"`
	Check   string   `json:"check"`             // what to do
	Mistake string   `json:"mistake,omitempty"` // what went wrong
	Instead string   `json:"instead,omitempty"` // more of the instruction in Check; "": none
	// From is the author of Check: catalogue, person or model, "" if unknown.
	From  string   `json:"from,omitempty"`
	Cites []string `json:"cites,omitempty"` // ids of the cases that the lesson rests on
	Tests int      `json:"tests,omitempty"` // number of different tests that missed the check
	Times int      `json:"times,omitempty"` // number of runs that missed the check
}

// Metadata holds the dates and counts of a node. CreatedAt and UpdatedAt are times of evaluations, not
// of storing them; in a taught lesson, CreatedAt is the time of the teaching.
type Metadata struct {
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	UsageCount  int       `json:"usageCount"`  // runs that received the node, in all trees
	SuccessRate float64   `json:"successRate"` // share of UsageCount that was right, 0 to 1
}

// CaseData is the evidence of a case and its analysis. TestCase, AgentJudgment and EvaluatorReason are evidence and
// never change. Misses is the analysis as data; ActualError, ErrorReason and AvoidanceHint are the same analysis in
// sentences. A later analysis may replace these four fields.
type CaseData struct {
	TestCase        TestCase `json:"testCase"`
	AgentJudgment   string   `json:"agentJudgment"`             // content of a JSON string; other JSON in canonical form
	EvaluatorReason string   `json:"evaluatorReason,omitempty"` // the evaluator's explanation
	ActualError     string   `json:"actualError"`               // the specific error of the run
	ErrorReason     string   `json:"errorReason"`               // root cause of ActualError
	AvoidanceHint   string   `json:"avoidanceHint"`
	Misses          []Miss   `json:"misses,omitempty"` // what was missed, most important first
	About           *About   `json:"about,omitempty"`  // a person's decisions; if set, the case is not analysed again

	Evidence *Evidence `json:"evidence,omitempty"` // of the first run that has any; the id of the case ignores it
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
	Type  string `json:"type,omitempty"`  // a scene type of the taxonomy, or any other name
	Route string `json:"route,omitempty"` // route of the page; in a node, the pattern that the function Route returns
}

// Scope is where a memory applies. An empty field restricts nothing. A memory with SuiteTests applies only at one place
// of the suite: that of the test at Position, see SamePlace.
type Scope struct {
	Product    string   `json:"product,omitempty"`
	Suite      string   `json:"suite,omitempty"`
	Test       string   `json:"test,omitempty"`
	SuiteTests []string `json:"suite_tests,omitempty"`
	Position   int      `json:"position,omitempty"` // zero-based index in SuiteTests

	// Build is the version or hash of the product under test. It does not limit where a memory applies. In a memory,
	// Build is the build in which the mistake was last made; in a query, the present build. If the two differ, what was
	// true of the page then may have changed.
	Build string `json:"build,omitempty"`
}

// Origin identifies the tree in which a node was created. It is zero if a lesson was learned from cases of several
// trees.
type Origin struct {
	ID    string `json:"id,omitempty"`
	Label string `json:"label,omitempty"` // name of the tree for people
}

// Provenance records who or what wrote the present content of a node, and from what.
type Provenance struct {
	By       string   `json:"by"`                 // formation, evolution, person or import
	Analyst  string   `json:"analyst,omitempty"`  // what analysed the mistake: "rules" or "model"
	Model    string   `json:"model,omitempty"`    // name of the model, "" if none answered
	Template string   `json:"template,omitempty"` // id and version of the prompt
	Job      string   `json:"job,omitempty"`      // key of the evolution job that wrote the content
	Cites    []string `json:"cites,omitempty"`    // ids of the nodes that the content was written from
	Left     []string `json:"left,omitempty"`     // ids of cases left out because they have another cause; sorted
	Lost     []string `json:"lost,omitempty"`     // ids of cases that people's decisions took from the node later; sorted
	When     bool     `json:"when,omitempty"`     // a person wrote the conditions too, not only the text
	Again    bool     `json:"again,omitempty"`    // rules wrote the content because a model failed: analyse again

	At time.Time `json:"at,omitzero"` // when a person last changed the content; the later At wins in merges
}

// Unread reports whether rules wrote the content and a model may still write it: none has answered yet, or one failed.
func (p *Provenance) Unread() bool { return p.Analyst == "rules" && (p.Again || p.Model == "") }

// Occurrence is one run that made the mistake of a case, such as the run that the case was made from.
type Occurrence struct {
	Evaluation string    `json:"evaluation"` // key of the run's evaluation
	RunID      string    `json:"run_id,omitempty"`
	CaseID     string    `json:"case_id,omitempty"`
	At         time.Time `json:"at"`
	Near       bool      `json:"near,omitempty"` // other evidence: nearly the same, or the same miss in the same test
}

// Counters count the runs of one tree that received a node, first attempts only.
type Counters struct {
	Used    int `json:"used"`    // runs that received the node
	Correct int `json:"correct"` // right runs among Used
}

// Live reports whether n is in use, so that runs may receive it: active or on probation, not banned, not superseded.
func (n *Node) Live() bool {
	return (n.Status == Active || n.Status == Probation) && n.Mark != Banned && n.SupersededBy == ""
}

// Standing returns the status of n to show to people: "banned" if a person banned n, else n.Status. The Status of a
// banned node is only what an undo restores.
func (n *Node) Standing() Status {
	if n.Mark == Banned {
		return BuriedFor
	}
	return n.Status
}

// Text returns the text by which a query finds n: the prompt of a case; title, description and conditions of an
// experience or strategy. If OwnWords is true, the text has the advice too. If a person edited the conditions of a
// lesson that was not taught, the text is only its conditions and advice.
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
