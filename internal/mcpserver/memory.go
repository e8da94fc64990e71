package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

type memoryIn struct {
	ID   string `json:"id" limit:"64"`
	Lang string `json:"lang,omitempty" enum:"en,zh" jsonschema:"language of the lesson; left out: its own"`
}

// memoryOut is one memory. Texts from outside are quoted.
type memoryOut struct {
	About string `json:"about"`
	givenMemory
	Status     string        `json:"status"`
	Says       []string      `json:"says" jsonschema:"what to check, as guidance would say it"`
	WhyNot     string        `json:"why_not_said,omitempty" jsonschema:"why it may not be shown"`
	Title      string        `json:"title,omitempty"`
	Scene      scene         `json:"scene,omitzero"`
	Scope      scope         `json:"scope,omitzero"`
	Confidence float64       `json:"confidence" jsonschema:"0 to 1"`
	Happened   int           `json:"happened,omitempty" jsonschema:"how often the mistake of a case was made"`
	Last       string        `json:"last,omitempty" jsonschema:"when it was made last"`
	Evidence   *caseEvidence `json:"evidence,omitempty"`
	Parent     *kin          `json:"parent,omitempty" jsonschema:"the lesson that this is a part of"`
	Children   []kin         `json:"children" jsonschema:"what the lesson rests on, the first of them"`
	ChildCount int           `json:"child_count"`
	MadeBy     string        `json:"made_by" jsonschema:"who made it: formation, evolution, import or a person"`
	Learned    string        `json:"learned_in,omitempty" jsonschema:"where it comes from"`
	Archived   string        `json:"archived_for,omitempty"`
}

// caseEvidence is the evidence of a case, without the ground truth.
type caseEvidence struct {
	Test     string   `json:"test,omitempty"`
	Prompt   string   `json:"prompt,omitempty" jsonschema:"the task"`
	Judgment string   `json:"judgment,omitempty" jsonschema:"what the agent judged, which was wrong"`
	Note     string   `json:"note,omitempty" jsonschema:"what the evaluator said of it"`
	Missed   []missed `json:"missed" jsonschema:"what was not checked, or was checked wrongly"`
}

type missed struct {
	Check string   `json:"check,omitempty" jsonschema:"kind of check, of memtree://taxonomy, or of this tree: own/NAME"`
	Name  string   `json:"name,omitempty"`
	What  []string `json:"what,omitempty" jsonschema:"the controls or fields it was about"`
	By    string   `json:"by" jsonschema:"whose words: person, model or rules"`
}

// kin is a memory above or below another.
type kin struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

func (o memoryOut) text() string { return fenced(o) }

func memoryTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "get_memory",
		Description: "Read one memory whole: what it says to check, the run it was learned from, which lesson it belongs " +
			"to and what that rests on. Texts are quoted; the truth of a test is never given. It is for looking into memory, " +
			"not for judging: what was found then may be mended now.",
		Annotations: &mcp.ToolAnnotations{Title: "Read a memory", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) getMemory(ctx context.Context, _ toolCall, in memoryIn) (memoryOut, error) {
	n, err := s.m.Tree().Get(ctx, in.ID)
	if errors.Is(err, tree.ErrNotFound) {
		return memoryOut{}, fmt.Errorf("there is no memory %.80q; search_memories and memtree://tree give whole ids", in.ID)
	}
	if err != nil {
		return memoryOut{}, err
	}
	return s.memoryOf(ctx, &n, in.Lang)
}

// memoryOf returns n in the form for an agent.
func (s *server) memoryOf(ctx context.Context, n *tree.Node, lang string) (memoryOut, error) {
	truths := truthsOf(n)
	out := memoryOut{
		About: asData, givenMemory: givenOf(n), Status: statusOf(n), Says: []string{},
		Title: quote(s.worded(n, lang).Content.Title, truths, maxName),
		Scene: scene{plain(n.Scene.ID), plain(n.Scene.Type), plain(n.Scene.Route)},
		Scope: scope{Product: plain(n.Scope.Product), Suite: plain(n.Scope.Suite), Test: plain(n.Scope.PlaceTest()),
			Build: plain(n.Scope.Build)},
		Confidence: n.Content.Confidence, Happened: len(n.Occurrences), Children: []kin{}, ChildCount: len(n.Children),
		MadeBy: plain(n.Provenance.By), Learned: plain(n.Origin.Label), Archived: quote(n.ArchivedFor, truths, maxName),
	}
	if out.Scope.Test == "" {
		out.Scope.Test = plain(n.Scope.Test)
	}
	switch {
	case n.Status == tree.Quarantined && !n.Entombed():
		out.About += " This memory waits for a person and is given to no run: do not act on it."
	case !n.Live():
		out.About += " This memory is out of use: do not act on it."
	}
	said, why := enhance.Say(n, enhance.Options{Lang: lang, Words: s.words})
	if said != "" {
		out.Says = strings.Split(said, "\n")
	}
	out.WhyNot = plain(why)
	if k := len(n.Occurrences); k > 0 && !n.Occurrences[k-1].At.IsZero() {
		out.Last = n.Occurrences[k-1].At.UTC().Format(time.RFC3339)
	}
	if d := n.CaseData; d != nil {
		out.Evidence = s.evidence(d, truths, s.langOf(lang, d.TestCase.Prompt))
	}
	return out, s.addKin(ctx, n, &out, lang)
}

// evidence returns the evidence of a case without the ground truth, and without anything that discloses it.
func (s *server) evidence(d *tree.CaseData, truths guard.Truths, lang string) *caseEvidence {
	out := &caseEvidence{
		Test: plain(d.TestCase.CaseID), Prompt: quote(d.TestCase.Prompt, guard.Truths{}, maxQuote),
		Judgment: quoteWhole(d.AgentJudgment, truths), Note: quote(d.EvaluatorReason, truths, maxQuote),
		Missed: []missed{},
	}
	for _, m := range d.Misses {
		if m.Check == "" && len(m.What) == 0 {
			continue // only that it was wrong is known
		}
		one := missed{Check: m.Check, Name: taxonomy.OwnName(m.Check), By: plain(m.From)}
		if c, ok := s.m.Taxonomy().Check(m.Check); ok {
			one.Name = c.Name.In(lang)
		}
		for _, w := range m.What {
			one.What = append(one.What, quote(w, truths, maxName))
		}
		out.Missed = append(out.Missed, one)
	}
	return out
}

// addKin adds the parent and the children of n.
func (s *server) addKin(ctx context.Context, n *tree.Node, out *memoryOut, lang string) error {
	if n.Parent != "" {
		k, err := s.kin(ctx, n.Parent, lang)
		if err != nil {
			return err
		}
		out.Parent = &k
	}
	for _, id := range n.Children[:min(maxKin, len(n.Children))] {
		k, err := s.kin(ctx, id, lang)
		if err != nil {
			return err
		}
		out.Children = append(out.Children, k)
	}
	return nil
}

// kin reads the name of a memory. For a deleted one it returns only the id.
func (s *server) kin(ctx context.Context, id, lang string) (kin, error) {
	n, err := s.m.Tree().Get(ctx, id)
	if errors.Is(err, tree.ErrNotFound) {
		return kin{ID: id}, nil
	}
	if err != nil {
		return kin{}, err
	}
	return kin{ID: n.ID, Type: string(n.Type), Name: s.nameOf(&n, lang)}, nil
}

// nameOf returns a short name of n: its title, or the test of a case and the missed check.
func (s *server) nameOf(n *tree.Node, lang string) string {
	return quote(s.worded(n, lang).Content.Title, truthsOf(n), maxName)
}

// worded returns n with its texts in a language; "" is its own.
func (s *server) worded(n *tree.Node, lang string) tree.Node {
	if lang == "" {
		lang = n.Lang
	}
	return s.words.In(n, lang)
}

func givenOf(n *tree.Node) givenMemory {
	return givenMemory{n.ID, string(n.Type), n.ErrorType, string(n.Direction)}
}

func statusOf(n *tree.Node) string {
	if n.Mark == tree.Pinned {
		return string(n.Status) + " " + string(n.Mark)
	}
	return string(n.Standing())
}

// langOf returns the language of an answer: the requested one, or that of the text.
func (s *server) langOf(lang, of string) string {
	switch {
	case lang != "":
		return lang
	case of != "":
		return text.Lang(of)
	}
	return s.o.Lang
}
