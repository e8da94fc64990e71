package main

import (
	"errors"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// halted says once, on standard error, for which error the model was called no more and what to do
// about it. byRules is how many cases the rules read in its place.
func (a *app) halted(m *memtree.Memory, byRules int) {
	e, ok := errors.AsType[*llm.Error](m.Health().Model)
	if !ok {
		return
	}
	const most = 200 // characters of the provider's own words
	s := a.say("the model was asked no more after this: %s",
		strings.TrimRight(text.Clip(text.Line(e.Error()), most), ".?!"))
	s = text.Append(s+a.say("."), a.mend(e))
	if byRules > 0 {
		s = text.Append(s, a.say("%d cases were read by the rules; the model reads them when it answers again.", byRules))
	}
	a.remark(s)
}

// mend says what to do about an error that lasts. It names the variable and not what is in it.
func (a *app) mend(e *llm.Error) string {
	model, address, key := langchain.Variables(a.getenv)
	switch e.Kind {
	case llm.KindUnauthorised:
		return a.say("Set %s to a key that this provider takes, or pay its bill.", key)
	case llm.KindNotFound:
		return a.say("Set %s to a model that the provider has, or %s to its address.", model, address)
	default:
		return a.say("Look whether %s and %s belong together.", model, address)
	}
}
