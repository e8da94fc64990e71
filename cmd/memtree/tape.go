package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// The variables that name a folder of recordings.
const (
	recordVariable = "MEMTREE_LLM_RECORD" // model answers are written into it
	replayVariable = "MEMTREE_LLM_REPLAY" // answers are played from it; no model is called
)

// playedModel is the model name of played answers.
const playedModel = "(recordings)"

// playing reports whether recordings are played in place of a model.
func (a *app) playing() bool { return a.set(replayVariable) != "" }

// tapeProblem returns an error if both variables are set.
func (a *app) tapeProblem() error {
	if a.playing() && a.set(recordVariable) != "" {
		return &failure{a.say("%s and %s are both set; "+
			"unset one: the first records a model, the second plays what was recorded",
			recordVariable, replayVariable), nil}
	}
	return nil
}

// player opens the recordings to play.
func (a *app) player() (*tape.Player, error) {
	p, err := tape.Open(a.set(replayVariable))
	if err != nil {
		return nil, a.folderFailure(replayVariable, err)
	}
	return p, nil
}

// playedEmbedder returns the embedder of recorded vectors, nil if there are none.
func (a *app) playedEmbedder() (llm.Embedder, error) {
	p := a.spending.player
	if p == nil {
		var err error
		if p, err = a.player(); err != nil {
			return nil, err
		}
	}
	e, err := p.Embedder()
	if err != nil {
		return nil, a.folderFailure(replayVariable, err)
	}
	return e, nil
}

// recorded wraps a model in a recorder, if recording is on.
func (a *app) recorded(of llm.Generator, c langchain.Config) (llm.Generator, error) {
	r, err := a.newRecorder(of, c)
	if r == nil || err != nil {
		return of, err
	}
	return r, nil
}

// recordedTexts wraps an embedding model in a recorder, if recording is on.
func (a *app) recordedTexts(of llm.Embedder, c langchain.Config) (llm.Embedder, error) {
	r := a.spending.recorder
	if r == nil {
		var err error
		if r, err = a.newRecorder(nil, c); r == nil || err != nil {
			return of, err
		}
	}
	return r.Embedder(of), nil
}

// newRecorder returns a recorder around a model, nil if recording is off.
func (a *app) newRecorder(of llm.Generator, c langchain.Config) (*tape.Recorder, error) {
	dir := a.set(recordVariable)
	if dir == "" {
		return nil, nil
	}
	r, err := tape.NewRecorder(of, dir, c.Model, scrubber(string(c.APIKey)))
	if err != nil {
		return nil, a.folderFailure(recordVariable, err)
	}
	a.spending.recorder = r
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

// unrecorded prints an error if answers could not be recorded.
func (a *app) unrecorded() {
	if a.spending.recorder == nil {
		return
	}
	if n, err := a.spending.recorder.Recorded(); err != nil {
		const most = 200 // characters
		a.complain(a.say("%s: %d answers were recorded and others could not be: %s",
			recordVariable, n, text.Clip(text.Line(err.Error()), most)))
	}
}

// folderFailure describes what is wrong with a folder of recordings, and names its variable.
func (a *app) folderFailure(variable string, err error) error {
	e, ok := errors.AsType[*tape.FolderError](err)
	if !ok {
		return err
	}
	return &failure{a.say("%s: %s", variable, a.folderSentence(e)), err}
}

func (a *app) folderSentence(e *tape.FolderError) string {
	why := ""
	if e.Err != nil {
		const most = 120 // characters
		why = text.Clip(text.Line(e.Err.Error()), most)
	}
	switch e.Problem {
	case tape.IsMissing:
		return a.say("there is no folder %s; name one that was made with MEMTREE_LLM_RECORD", e.Path)
	case tape.IsFile:
		return a.say("%s is a file; name a folder", e.Path)
	case tape.IsEmpty:
		return a.say("there is no recording in %s; make some with MEMTREE_LLM_RECORD", e.Path)
	case tape.NotWritable:
		return a.say("nothing can be written into %s (%s); choose another folder, or check who may write there", e.Path, why)
	case tape.TooMuch:
		return a.say("there is more in %s than can be held in memory; split it by suite", e.Path)
	case tape.IsMixed:
		return a.say("there are vectors of two models in %s (%s); record anew into an empty folder", e.Path, why)
	case tape.IsBroken:
		return a.say("%s is no recording that can be played (%s); delete it, or record it again", e.Path, why)
	default:
		return a.say("%s cannot be read (%s)", e.Path, why)
	}
}

// playedLines describes which answers were played, and which were not recorded.
func (a *app) playedLines(s *spent) []string {
	p := a.spending.player
	missing, first := p.Missing()
	lines := []string{a.say("Answers played from recordings: %d; no model was asked, cost 0. "+
		"When they were recorded they took %d tokens in and %d out.",
		s.Calls-missing, s.Usage.InputTokens, s.Usage.OutputTokens)}
	if first != nil {
		lines = append(lines, a.say("Not recorded, so the rules answered: %d questions, such as %s, which would be in %s.",
			missing, text.Line(first.Name), text.Line(filepath.ToSlash(first.File))))
	}
	return lines
}

// checkPlayed describes, for llm check, the recordings that are played. It calls no model.
func (a *app) checkPlayed(r *checked) {
	p, err := a.player()
	if err != nil {
		r.Code, r.Problem = "setting", a.sentence(err)
		return
	}
	const most = 200 // characters
	answers, vectors := p.Len()
	r.Played, r.Provider, r.Source = answers+vectors, "recordings", replayVariable
	r.Model, r.Price = text.Clip(text.Line(strings.Join(p.Models(), ", ")), most), priced{}
	r.Advice = append(r.Advice, a.say("No model is asked: %d answers are played from %s, at no cost.",
		answers, a.set(replayVariable)))
	e, err := p.Embedder()
	switch {
	case err != nil:
		r.Code, r.Problem = "setting", a.sentence(a.folderFailure(replayVariable, err))
	case e != nil:
		r.Embed = embedded{OK: true, Model: e.ID(), Dims: e.Dims(), Price: priced{}}
		r.Advice = append(r.Advice, a.say("Vectors are played too: %d.", vectors))
	}
}

// checkRecorded describes, for llm check, where answers are recorded, or why they cannot be.
func (a *app) checkRecorded(r *checked, c langchain.Config) {
	if _, err := a.recorded(nil, c); err != nil {
		r.Code, r.Problem = "setting", a.sentence(err)
	} else if dir := a.set(recordVariable); dir != "" {
		r.Advice = append(r.Advice,
			a.say("What the model writes for record and evolve is kept in %s; this question is not.", dir))
	}
}
