package model

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// Environment variables that name a folder of recorded answers.
const (
	RecordVariable = "MEMTREE_LLM_RECORD" // answers of the model are recorded in this folder
	ReplayVariable = "MEMTREE_LLM_REPLAY" // answers come from this folder; no model is called
)

// playedModel is the model name of played answers.
const playedModel = "(recordings)"

// Playing reports whether recorded answers replace the model, because ReplayVariable is set.
func (m *Model) Playing() bool { return m.Env(ReplayVariable) != "" }

// tapeProblem returns an error if both variables are set.
func (m *Model) tapeProblem() error {
	if m.Playing() && m.Env(RecordVariable) != "" {
		return m.Fail(nil, "%s and %s are both set; "+
			"unset one: the first records a model, the second plays what was recorded",
			RecordVariable, ReplayVariable)
	}
	return nil
}

// Recordings opens the recorded answers in the folder that ReplayVariable names.
func (m *Model) Recordings() (*tape.Player, error) {
	p, err := tape.Open(m.Env(ReplayVariable))
	if err != nil {
		return nil, m.FolderFailure(ReplayVariable, err)
	}
	return p, nil
}

// playedEmbedder returns the embedder of recorded vectors, nil if there are none.
func (m *Model) playedEmbedder() (llm.Embedder, error) {
	p := m.player
	if p == nil {
		var err error
		if p, err = m.Recordings(); err != nil {
			return nil, err
		}
	}
	e, err := p.Embedder()
	if err != nil {
		return nil, m.FolderFailure(ReplayVariable, err)
	}
	return e, nil
}

// Recorded returns a generator that passes requests on to g and records the answers. If RecordVariable is not set, it
// returns g.
func (m *Model) Recorded(g llm.Generator, c langchain.ModelConfig) (llm.Generator, error) {
	r, err := m.newRecorder(g, c)
	if r == nil || err != nil {
		return g, err
	}
	return r, nil
}

// recordedTexts wraps an embedding model in a recorder, if recording is on.
func (m *Model) recordedTexts(of llm.Embedder, c langchain.ModelConfig) (llm.Embedder, error) {
	r := m.recorder
	if r == nil {
		var err error
		if r, err = m.newRecorder(nil, c); r == nil || err != nil {
			return of, err
		}
	}
	return r.Embedder(of), nil
}

// newRecorder returns a recorder around a model, nil if recording is off.
func (m *Model) newRecorder(of llm.Generator, c langchain.ModelConfig) (*tape.Recorder, error) {
	dir := m.Env(RecordVariable)
	if dir == "" {
		return nil, nil
	}
	r, err := tape.NewRecorder(of, dir, c.Model, scrubber(string(c.APIKey)))
	if err != nil {
		return nil, m.FolderFailure(RecordVariable, err)
	}
	m.recorder = r
	return r, nil
}

// leastKey is the minimum length of a key. Shorter values are placeholders, such as none or EMPTY.
const leastKey = 8

// scrubber returns a function that redacts secrets in model texts: the key and what resembles a secret.
func scrubber(key string) func(string) string {
	return func(s string) string {
		if len(key) >= leastKey {
			s = strings.ReplaceAll(s, key, "[redacted:key]")
		}
		s, _ = formation.RedactText(s)
		return s
	}
}

// Unrecorded prints an error if some answers of the command could not be recorded.
func (m *Model) Unrecorded() {
	if m.recorder == nil {
		return
	}
	if n, err := m.recorder.Recorded(); err != nil {
		const most = 200 // characters
		m.Complain(m.Say("%s: %d answers were recorded and others could not be: %s",
			RecordVariable, n, text.Clip(text.Line(err.Error()), most)))
	}
}

// FolderFailure returns err, a problem of a folder of recordings, as an error for people that names the variable of the
// folder.
func (m *Model) FolderFailure(variable string, err error) error {
	e, ok := errors.AsType[*tape.FolderError](err)
	if !ok {
		return err
	}
	return m.Fail(err, "%s: %s", variable, m.folderSentence(e))
}

func (m *Model) folderSentence(e *tape.FolderError) string {
	why := ""
	if e.Err != nil {
		const most = 120 // characters
		why = text.Clip(text.Line(e.Err.Error()), most)
	}
	return cmp.Or(map[tape.FolderProblem]string{
		tape.IsMissing: m.Say("there is no folder %s; name one that was made with MEMTREE_LLM_RECORD", e.Path),
		tape.IsFile:    m.Say("%s is a file; name a folder", e.Path),
		tape.IsEmpty:   m.Say("there is no recording in %s; make some with MEMTREE_LLM_RECORD", e.Path),
		tape.NotWritable: m.Say("nothing can be written into %s (%s); choose another folder, or check who "+
			"may write there", e.Path, why),
		tape.TooMuch:  m.Say("there is more in %s than can be held in memory; split it by suite", e.Path),
		tape.IsMixed:  m.Say("there are vectors of two models in %s (%s); record anew into an empty folder", e.Path, why),
		tape.IsBroken: m.Say("%s is no recording that can be played (%s); delete it, or record it again", e.Path, why),
	}[e.Problem], m.Say("%s cannot be read (%s)", e.Path, why))
}

// playedLines describes which answers were played, and which were not recorded.
func (m *Model) playedLines(s *UsageReport) []string {
	p := m.player
	missing, name, file := p.Missing()
	lines := []string{m.Say("Answers played from recordings: %d; no model was asked, cost 0. "+
		"When they were recorded they took %d tokens in and %d out.",
		s.Calls-missing, s.Usage.InputTokens, s.Usage.OutputTokens)}
	if missing > 0 {
		lines = append(lines, m.Say("Not recorded, so the rules answered: %d questions, such as %s, which would be in %s.",
			missing, text.Line(name), text.Line(filepath.ToSlash(file))))
	}
	return lines
}
