// Package look has a model look a second time at verdicts that are likely to be wrong. The model, also called the
// reader, receives the task, the evidence of the run and the verdict. It answers point by point, each with a quotation
// of the evidence (prompts.LookInput). A quotation that is not in the evidence counts for nothing (quote.go).
//
// A look is evidence for package risk and never a truth: package risk counts its code (code.go) by how often verdicts
// with such a code were wrong in the store. An Archive (book.go) stores looks, so that no verdict is paid for twice
// and a reading that was cut short continues. Looks reads within bounds (looks.go).
package look

import (
	"strings"
	"time"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// Look is a model's second look at one verdict.
type Look struct {
	Evaluation string    `json:"evaluation"` // key of the evaluation
	Seen       string    `json:"seen"`       // hash of the task, the evidence and the verdict
	At         time.Time `json:"at,omitzero"`
	By         string    `json:"by,omitempty"`     // name of the model
	Prompt     string    `json:"prompt,omitempty"` // name and version of the prompt

	Points  []TaskPoint `json:"points"`            // the demands of the task, one by one
	Against string      `json:"against,omitempty"` // a quotation that contradicts the verdict
	Refuted bool        `json:"refuted,omitempty"` // Against really is in the evidence
	Blame   string      `json:"blame"`             // why the run failed: agent, beyond (its control) or unseen; else none
	Holds   string      `json:"holds"`             // the verdict holds: yes, no or unseen
	Chance  *int        `json:"chance,omitempty"`  // chance in percent that the verdict holds; nil if none was given
	Why     string      `json:"why,omitempty"`     // the model's own reason
	Tokens  int         `json:"tokens,omitempty"`  // length of the answer; 0 if the provider reported none
	P       *float64    `json:"p,omitempty"`       // only of a model that decides: probability that the verdict holds
}

// TaskPoint is one demand of the task, and whether the model saw it done.
type TaskPoint struct {
	Point string `json:"point"`           // the demand
	Shown string `json:"shown"`           // whether the evidence shows the demand met: yes, no or unseen
	Quote string `json:"quote,omitempty"` // quotation of the evidence that Shown rests on
	Found bool   `json:"found"`           // Quote is in the evidence, and does not only repeat the task

	Picture int `json:"picture,omitempty"` // from 1: Quote is what the model saw in that picture; nothing checks it
}

// claimOf returns the verdict with its reason.
func claimOf(e *tree.Evaluation) string {
	_, said := split(judgment.Decode(e.Judgment))
	verdict, beside := judgment.Read(said)
	return strings.TrimSpace(verdict + ": " + beside)
}

// placeOf returns the id of a run and a hash of what a reader of it can be shown. An id alone names no run: two files
// may both have a run r1000.
func placeOf(e *tree.Evaluation) place {
	parts := []string{e.Prompt, visible(e), claimOf(e)}
	if e.Evidence != nil {
		for i := range e.Evidence.Pictures {
			parts = append(parts, e.Evidence.Pictures[i].SHA256)
		}
	}
	return place{e.Key(), tree.Hash(parts...)}
}

// question returns the question about a verdict.
func question(e *tree.Evaluation, before []string) prompts.LookInput {
	claim := claimOf(e)
	in := prompts.LookInput{
		Lang: text.Lang(e.Prompt), Task: e.Prompt, Evidence: selected(visible(e), e.Prompt+"\n"+claim), Claim: claim,
		Before: before,
	}
	clean(&in)
	return in
}

// lookOf checks the quotations of an answer.
func lookOf(e *tree.Evaluation, in *prompts.LookInput, v *prompts.LookOutput) Look {
	q, at := newQuotes(in.Shown(), in.Asked()), placeOf(e)
	out := Look{
		Evaluation: at.evaluation, Seen: at.seen, Against: v.Against, Refuted: q.found(v.Against), Blame: v.By,
		Holds: v.Holds, Chance: &v.Chance, Why: v.Why,
	}
	for _, p := range v.Points {
		point := TaskPoint{Point: p.Point, Shown: p.Shown, Quote: p.Quote}
		if p.Shown != unseen {
			point.Found, point.Picture = q.found(p.Quote), pictureOf(p.Quote, in.Pictures)
		}
		out.Points = append(out.Points, point)
	}
	return out
}
