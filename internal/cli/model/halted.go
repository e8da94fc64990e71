package model

import (
	"errors"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// Halted prints the error cause, after which the model was called no more, and what to do about it. byRules is the
// number of cases that were analysed without the model. It prints nothing if cause is no error of a model.
func (m *Model) Halted(cause error, byRules int) {
	e, ok := errors.AsType[*llm.Error](cause)
	if !ok {
		return
	}
	const most = 200 // characters of the provider's error text
	s := m.Say("the model was asked no more after this: %s",
		strings.TrimRight(text.Clip(text.Line(e.Error()), most), ".?!"))
	s = text.Append(s+m.Say("."), m.mend(e))
	if byRules > 0 {
		s = text.Append(s, m.Say("%d cases were read by the rules; the model reads them when it answers again.", byRules))
	}
	m.Remark(s)
}

// mend advises on an error that lasts. It prints the name of the variable and not its value.
func (m *Model) mend(e *llm.Error) string {
	v, _ := langchain.NamesOf(m.Getenv)
	switch e.Kind {
	case llm.KindUnauthorised:
		return m.Say("Set %s to a key that this provider takes, or pay its bill.", v.APIKey)
	case llm.KindNotFound:
		return m.Say("Set %s to a model that the provider has, or %s to its address.", v.Model, v.BaseURL)
	default:
		return m.Say("Look whether %s and %s belong together.", v.Model, v.BaseURL)
	}
}
