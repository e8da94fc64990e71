package report

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// inspectEval is the subject of an eval.
type inspectEval struct {
	ID    string `json:"eval_id"`
	Task  string `json:"task"`
	Model string `json:"model"`
}

// inspectSample is the result of a sample.
type inspectSample struct {
	id, input, target, answer string
	epoch                     int
	at                        string
	broke                     bool
	scores                    map[string]inspectScore
}

type inspectScore struct {
	Value       json.RawMessage `json:"value"`
	Answer      string          `json:"answer"`
	Explanation string          `json:"explanation"`
}

// inspect reads a log of Inspect: JSON, or a zip of JSON.
func (d *fileDecoder) inspect(r *bufio.Reader) error {
	if begin, _ := r.Peek(4); string(begin) == "PK\x03\x04" {
		return d.inspectZip(r)
	}
	return d.documents(r, func(j *jsonReader) error {
		var eval inspectEval
		return j.object(func(key string) error {
			switch key {
			case "eval":
				return d.value(j, "eval", &eval)
			case "samples":
				return j.array(func() error { return d.inspectSample(j, &eval) })
			}
			return j.skip()
		})
	})
}

// inspectZip reads a packed log, file by file.
func (d *fileDecoder) inspectZip(r io.Reader) error {
	a, err := d.openArchive(r)
	if err != nil {
		return err
	}
	defer a.close()
	var eval inspectEval
	read := func(f *zip.File, do func(*jsonReader) error) error {
		return a.part(f, func(r io.Reader) error { return do(newJSON(bufio.NewReader(r))) })
	}
	for _, head := range []string{"_journal/start.json", "header.json"} { // an interrupted log has no header yet
		i := slices.IndexFunc(a.File, func(f *zip.File) bool { return f.Name == head })
		if i < 0 {
			continue
		}
		err := read(a.File[i], func(j *jsonReader) error {
			return j.object(func(key string) error {
				if key == "eval" {
					return d.value(j, "eval", &eval)
				}
				return j.skip()
			})
		})
		if err != nil {
			return err
		}
	}
	for _, f := range a.File {
		if strings.HasPrefix(f.Name, "samples/") && strings.HasSuffix(f.Name, ".json") {
			if err := read(f, func(j *jsonReader) error { return d.inspectSample(j, &eval) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// inspectSample reads a sample. It skips the events of the sample.
func (d *fileDecoder) inspectSample(j *jsonReader, eval *inspectEval) error {
	line, s := j.line, inspectSample{}
	err := j.object(func(key string) (err error) {
		var v json.RawMessage
		switch key {
		case "id", "input", "target", "output", "error":
			err = d.value(j, "samples."+key, &v)
		case "epoch":
			return d.value(j, "samples.epoch", &s.epoch)
		case "scores":
			return d.value(j, "samples.scores", &s.scores)
		case "started_at":
			s.at, err = j.text(longestName)
		default:
			return j.skip()
		}
		switch key {
		case "id":
			s.id = tree.Raw(v).Text()
		case "input":
			s.input = inspectText(v)
		case "target":
			s.target = inspectText(v)
		case "output":
			s.answer = inspectAnswer(v)
		case "error":
			s.broke = !tree.Raw(v).Null()
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.inspectTests(line, eval, &s)
}

// inspectText returns a text, the last of a list of texts, or the text of the last of several messages.
func inspectText(v json.RawMessage) string {
	var one string
	var several []json.RawMessage
	var message struct {
		Content json.RawMessage `json:"content"`
		Text    string          `json:"text"`
	}
	switch {
	case json.Unmarshal(v, &one) == nil:
		return one
	case json.Unmarshal(v, &several) == nil && len(several) > 0:
		return inspectText(several[len(several)-1])
	case json.Unmarshal(v, &message) == nil && message.Text != "":
		return message.Text
	case len(message.Content) > 0 && len(message.Content) < len(v):
		return inspectText(message.Content)
	}
	return ""
}

// inspectAnswer returns the output of the model.
func inspectAnswer(v json.RawMessage) string {
	var out struct {
		Completion string `json:"completion"`
		Choices    []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(v, &out) == nil && out.Completion == "" && len(out.Choices) > 0 {
		return inspectText(out.Choices[0].Message)
	}
	return out.Completion
}

// inspectTests returns the verdicts on a sample. If the answer and the target are both verdicts, the model that
// answered is a judge with a known truth; otherwise each scorer is a judge, and its truth is unknown.
func (d *fileDecoder) inspectTests(line int, eval *inspectEval, s *inspectSample) error {
	base := test{line: line, run: eval.ID, place: present(eval.Task), title: s.id, prompt: s.input, observation: s.answer,
		at: junitTime(s.at), grader: fmt.Sprintf("epoch-%d", s.epoch)}
	if s.broke || len(s.scores) == 0 {
		return d.add(&base)
	}
	for _, name := range slices.Sorted(maps.Keys(s.scores)) {
		score, t := s.scores[name], base
		v := inspectVerdict(score.Value)
		if said := strings.TrimSpace(s.answer); judges(said, s.target, v == passed) {
			t.judgment, t.truth, t.observation, t.agent.Model = said, s.target, "", fitName(eval.Model)
			return d.add(&t)
		}
		t.grader += "|" + name
		t.agent.Name = fitName(name)
		if t.verdict = v; v != skipped {
			t.judgment = graded(v == passed, score.Explanation)
		}
		if err := d.add(&t); err != nil {
			return err
		}
	}
	return nil
}

// inspectVerdict reads a score: C and I are correct and incorrect. A value in between is no verdict.
func inspectVerdict(value json.RawMessage) verdict {
	switch strings.Trim(string(value), `"`) {
	case "C", "1", "1.0", "true":
		return passed
	case "I", "0", "0.0", "false":
		return failed
	}
	return skipped
}
