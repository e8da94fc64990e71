package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/tree"
)

// midsceneTask is one step of an execution: the model's input, and its output.
type midsceneTask struct {
	ID      string `json:"taskId"`
	Type    string `json:"type"`
	SubType string `json:"subType"`
	Status  string `json:"status"`
	Param   struct {
		Demand      json.RawMessage `json:"dataDemand"`
		Assertion   string          `json:"assertion"`
		Instruction string          `json:"userInstruction"`
	} `json:"param"`
	Thought string          `json:"thought"`
	Output  json.RawMessage `json:"output"`
	Error   string          `json:"errorMessage"`
	Timing  struct {
		Start int64 `json:"start"`
	} `json:"timing"`
	Log struct {
		Info struct {
			Raw json.RawMessage `json:"rawResponse"`
		} `json:"taskInfo"`
	} `json:"log"`
	Usage struct {
		Model string `json:"model_name"`
	} `json:"usage"`
	Context struct {
		Screenshot midsceneShot `json:"screenshot"`
	} `json:"uiContext"`
	Recorder []struct {
		Screenshot midsceneShot `json:"screenshot"`
	} `json:"recorder"`
}

// midsceneShot refers to a picture of the page: by the id of a script of the report, or by a file beside it. Older
// reports have its bytes as a data URL.
type midsceneShot struct{ ID, File, Data string }

// UnmarshalJSON reads each of the forms. Any other value is no picture.
func (s *midsceneShot) UnmarshalJSON(b []byte) error {
	var ref struct {
		ID   string `json:"id"`
		Old  string `json:"$screenshot"`
		Path string `json:"path"`
	}
	if json.Unmarshal(b, &s.Data) != nil && json.Unmarshal(b, &ref) == nil {
		s.ID, s.File = cmp.Or(ref.ID, ref.Old), ref.Path
	}
	return nil
}

// midsceneShot returns the last picture of the steps: the page after them, or else before the last one.
func (d *fileDecoder) midsceneShot(t *midsceneTask) (s shot, ok bool) {
	ref := t.Context.Screenshot
	for _, r := range t.Recorder {
		if r.Screenshot != (midsceneShot{}) {
			ref = r.Screenshot
		}
	}
	switch s, ok = d.images[ref.ID]; {
	case ok:
	case ref.File != "":
		s, ok = shot{path: ref.File}, true
	case strings.HasPrefix(ref.Data, "data:image/"):
		s, ok = d.decoded(ref.Data), true
	}
	s.name = "screenshot"
	return s, ok && d.rd.o.Keep != nil
}

// midsceneImage reads a picture that is a script of the page.
func (d *fileDecoder) midsceneImage(id string, body io.Reader) error {
	if d.rd.o.Keep == nil || len(d.images) == mostParts {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(body, longestEncoded+8))
	if err != nil {
		return err //nolint:wrapcheck // the caller says where
	}
	if d.images == nil {
		d.images = map[string]shot{}
	}
	d.images[id] = d.decoded(strings.TrimSpace(string(b)))
	return nil
}

// midscene reads a report of Midscene: a page with dumps in scripts, a dump alone, or the summary of its runner.
func (d *fileDecoder) midscene(r *bufio.Reader) error {
	begin, _ := r.Peek(Sniff)
	if t := strings.TrimLeft(strings.TrimPrefix(string(begin), "\xef\xbb\xbf"), " \t\r\n"); !strings.HasPrefix(t, "<") {
		return d.documents(r, func(j *jsonReader) error { return d.midsceneDump(j, "", false) })
	}
	h := &htmlReader{r: r, line: 1}
	return h.scripts(func(attrs map[string]string, body *scriptBody) error {
		switch attrs["type"] {
		case "midscene-image":
			return d.midsceneImage(attrs["data-id"], body)
		case "midscene_web_dump", "midscene_test_run_dump":
		default:
			return nil
		}
		j := newJSON(bufio.NewReader(body))
		j.line = h.line
		err := d.midsceneDump(j, attrs["playwright_test_title"], true)
		if broken, ok := errors.AsType[*brokenError](err); ok {
			return d.bad(broken.line, "", broken.problem)
		}
		return err
	})
}

// midsceneDump reads the executions of a group, the cases of a test run, or the scripts of a summary.
func (d *fileDecoder) midsceneDump(j *jsonReader, title string, page bool) error {
	group, run := "", ""
	return j.object(func(key string) (err error) {
		switch key {
		case "groupName":
			group, err = j.text(longestPrompt)
			return err
		case "executions":
			return j.array(func() error { return d.midsceneExecution(j, present(group, title)) })
		case "runId":
			run, err = j.text(longestName)
			return err
		case "projects":
			return j.array(func() error { return d.midsceneProject(j, run, page) })
		case "summary":
			if run != "" { // of a test run: its counts
				return j.skip()
			}
			run, err = d.midsceneSummary(j)
			return err
		case "results":
			return j.array(func() error { return d.midsceneScript(j, run) })
		}
		return j.skip()
	})
}

// midsceneExecution reads one call of an agent, such as an aiAssert with its retries, or an aiAct with all its steps.
func (d *fileDecoder) midsceneExecution(j *jsonReader, place []string) error {
	line, id, name := j.line, "", ""
	var at int64
	var tasks midsceneTasks
	err := j.object(func(key string) (err error) {
		switch key {
		case "id":
			id, err = j.text(longestName)
		case "name":
			name, err = j.text(longestPrompt)
		case "logTime":
			err = d.value(j, "executions.logTime", &at)
		case "tasks":
			err = j.array(func() error {
				var t midsceneTask
				if err := j.value(&t); err != nil {
					return d.unusable(err, "executions.tasks")
				}
				tasks.add(&t)
				return nil
			})
		default:
			err = j.skip()
		}
		return err
	})
	if err != nil || tasks.n == 0 {
		return err
	}
	t := test{line: line, place: place, title: cmp.Or(name, "?"), agent: tree.Agent{Name: "midscene"}}
	t.id = cmp.Or(id, tasks.first)
	if at > 0 {
		t.at = time.UnixMilli(at)
	}
	if t.id == "" {
		t.id = strings.Join(present(name, t.at.UTC().Format(time.RFC3339Nano)), "|")
	}
	t.same = t.id // a report that grew has an execution again; the later one is more complete
	t.midscene(&tasks)
	t.steps = tasks.steps
	if s, ok := d.midsceneShot(&tasks.last); ok {
		t.shots = []shot{s}
	}
	return d.add(&t)
}

// midsceneTasks holds the needed parts of the steps of an execution, of which there may be any number.
type midsceneTasks struct {
	n                         int
	first, model, instruction string
	last                      midsceneTask
	steps                     []tree.TestStep
}

func (s *midsceneTasks) add(t *midsceneTask) {
	if s.n++; s.n == 1 {
		s.first = t.ID
	}
	s.model = cmp.Or(s.model, fitName(t.Usage.Model))
	s.instruction = cmp.Or(s.instruction, t.Param.Instruction)
	s.last = *t
	title := strings.TrimSpace(t.Type + " " + t.SubType)
	if thought := plainMidscene(t.Thought); thought != "" {
		title += ": " + thought
	}
	addStep(&s.steps, title, t.Status == "failed")
}

// midscene fills in the model's input and its output. A model that gave no answer gave no verdict.
func (t *test) midscene(tasks *midsceneTasks) {
	last := &tasks.last
	t.agent.Model, t.prompt = tasks.model, tasks.instruction
	if t.prompt != "" { // of an aiAct: all its steps succeeded, or one did not
		t.verdict = verdictOf(last.Status == "finished")
		if last.Error != "" {
			t.judgment = graded(false, last.Error)
		}
		return
	}
	t.prompt = cmp.Or(last.Param.Assertion, tree.Raw(last.Param.Demand).Text())
	if out := tree.Raw(last.Output); last.Status == "finished" && !out.Null() && last.Type == "Insight" {
		t.midsceneSaid(last, out)
	}
	if tasks.n > 1 {
		t.attempt = tasks.n
	}
}

// midsceneSaid reads the model's output.
func (t *test) midsceneSaid(last *midsceneTask, out tree.Raw) {
	var is bool
	thought := plainMidscene(cmp.Or(last.Thought, thoughtIn(tree.Raw(last.Log.Info.Raw).Text())))
	switch {
	case json.Unmarshal(out, &is) == nil:
		t.judgment = graded(is, thought)
	case len(out) <= longestSeen:
		t.judgment = raw(json.RawMessage(plainMidscene(string(out))))
	default:
		t.judgment = cut(out.Text(), longestSeen)
	}
}

var midsceneThought = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<thought>(.*?)</thought>`)
})

// thoughtIn returns the model's reason from its raw response.
func thoughtIn(response string) string {
	if m := midsceneThought().FindStringSubmatch(plainMidscene(response)); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// plainMidscene reverses Midscene's escape of brackets in a page.
func plainMidscene(s string) string {
	return strings.NewReplacer("__midscene_lt__", "<", "__midscene_gt__", ">").Replace(s)
}
