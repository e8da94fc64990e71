package ingest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// read returns the evaluations and the text of every error, in order.
func read(t testing.TB, r io.Reader) (es []tree.Evaluation, problems []string) {
	t.Helper()
	for e, err := range Read("runs.jsonl", r) {
		if err != nil {
			require.Zero(t, e)
			problems = append(problems, err.Error())
			continue
		}
		es = append(es, e)
	}
	return es, problems
}

const good = `{"prompt":"check the form","judgment":{"verdict":"pass"}}`

func TestReadWholeEvaluation(t *testing.T) {
	wrong := false
	want := tree.Evaluation{
		ID: "e1", RunID: "r1", CaseID: "c1", Attempt: 2, At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC),
		Scene:  tree.Scene{ID: "SCENE_001", Type: "form", Route: "/orders/42"},
		Scope:  tree.Scope{Product: "shop", Suite: "s", Test: "t", SuiteTests: []string{"a", "t"}, Position: 1},
		Prompt: "检查 \"表单\"\n😀", Observation: "saw", Judgment: tree.Raw(`{"n":1.50}`),
		GroundTruth: tree.Raw(`[12345678901234567890]`),
		Correct:     &wrong, Direction: taxonomy.FalsePass, Reason: "missed",
		Agent: tree.Agent{Name: "a", Version: "1", Model: "m"}, Trial: "t_1",
	}
	for name, line := range map[string]string{
		"native": `{"id":"e1","run_id":"r1","case_id":"c1","attempt":2,"at":"2026-01-28T09:00:00Z",` +
			`"scene":{"id":"SCENE_001","type":"form","route":"/orders/42"},
 "scope":{"product":"shop","suite":"s","test":"t","suite_tests":["a","t"],"position":1},"prompt":"检查 ` +
			`\"表单\"\n\ud83d\ude00","observation":"saw",
 "judgment":{"n":1.50},"ground_truth":[12345678901234567890],"correct":false,"direction":"false_pass","reason":"missed",
 "agent":{"name":"a","version":"1","model":"m"},"trial":"t_1","labels":{"x":"\ud800","x":2}}`,
		"flat": `{"evaluationId":"e1","runId":"r1","caseId":"c1","attempt":2,"timestamp":1769590800000,` +
			`"sceneId":"SCENE_001","sceneType":"form","routePath":"/orders/42",` +
			`"product":"shop","suiteId":"s","testId":"t","currentSuiteTests":["a","t"],"currentPosition":1,"prompt":"检查 ` +
			`\"表单\"\n😀","observation":"saw",` +
			`"agentJudgment":{"n":1.50},"groundTruth":[12345678901234567890],"isAgentCorrect":false,` +
			`"direction":"false_pass","evaluatorReason":"missed",` +
			`"agentName":"a","agentVersion":"1","agentModel":"m","trialId":"t_1"}`,
		"public": `{"id":"e1","runId":"r1","testCase":{"case_id":"c1","ui_scene_id":"SCENE_001",` +
			`"route_path":"/orders/42","case_type":"x","prompt":"检查 \"表单\"\n😀","ground_truth":[12345678901234567890]},` +
			`"result":{"n": 1.50},"evaluation":{"isAgentCorrect":false,"matchingAnalysis":"missed","detectedDefectCount":0},` +
			`"created_at":1769590800,"attempt":2,"scene":{"type":"form"},` +
			`"observation":"saw","direction":"false_pass","scope":{"product":"shop","suite":"s","test":"t",` +
			`"suite_tests":["a","t"],"position":1},"agent":{"name":"a","version":"1","model":"m"},"trial":"t_1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			es, problems := read(t, strings.NewReader(line))
			require.Empty(t, problems)
			require.Len(t, es, 1)
			es[0].Judgment = slices.Clip(es[0].Judgment)
			if name == "public" {
				require.Equal(t, `{"n": 1.50}`, string(es[0].Judgment))
				es[0].Judgment = want.Judgment
			}
			require.Equal(t, want, es[0])
		})
	}
}

func TestReadShapes(t *testing.T) {
	pretty := "{\n  \"prompt\": \"p\",\n  \"judgment\": {\n    \"a\": [\n      1\n    ]\n  }\n}"
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"lines":                {good + "\n" + good + "\n", 2},
		"no last line feed":    {good + "\n" + good, 2},
		"mark, CRLF, blanks":   {"\xef\xbb\xbf\r\n" + good + "\r\n\r\n \t\r\n" + good + "\r\n", 2},
		"array on one line":    {"[" + good + "," + good + "]", 2},
		"array over lines":     {"[\n" + good + ",\n" + good + "\n]\n", 2},
		"pretty":               {pretty, 1},
		"pretty, concatenated": {pretty + "\n" + pretty + pretty, 3},
		"array of pretty":      {"[" + pretty + ",\n" + pretty + "]", 2},
		"objects on one line":  {good + " " + good + good, 3},
		"an array a line":      {"[" + good + "]\n[" + good + "]", 2},
		"nulls are absent": {`{"prompt":"p","judgment":1,"correct":null,"scene":null,"at":null,"scene_id":"","id":null}`,
			1},
		"scene as a word": {`{"prompt":"p","judgment":1,"scene":"login","agent":"bot","evaluation":"fine"}`, 1},
		"same thing twice": {`{"prompt":"p","judgment":{"a":1,"b":2},"agent_judgment":{"b":2,"a":1},` +
			`"at":"2026-01-28T09:00:00Z","timestamp":1769590800}`, 1},
		"unknown and deep": {`{"prompt":"p","judgment":1,"labels":` + strings.Repeat("[", 60) + strings.Repeat("]",
			60) + `}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for what, r := range map[string]io.Reader{"whole": strings.NewReader(c.in),
				"by bytes": iotest.OneByteReader(strings.NewReader(c.in))} {
				es, problems := read(t, r)
				require.Empty(t, problems, what)
				require.Len(t, es, c.want, what)
			}
		})
	}
}

// TestReadProblems pins every sentence. The bad piece is on line 2; the good lines
// around it must survive.
func TestReadProblems(t *testing.T) {
	bad := func(member string) string { return `{"prompt":"p","judgment":1,` + member + `}` }
	for name, c := range map[string]struct{ in, want string }{
		"number for text":  {bad(`"scene":{"route":7}`), "scene.route is a number; write it as a string"},
		"alias keeps name": {bad(`"routePath":7`), "routePath is a number; write it as a string"},
		"nested alias": {`{"judgment":1,"testCase":{"prompt":["p"]}}`,
			"testCase.prompt is an array; write it as a string"},
		"object expected": {bad(`"scope":3`), "scope is a number; write an object"},
		"flag as text":    {bad(`"correct":"no"`), `correct is "no"; write true or false, without quotes`},
		"attempt":         {bad(`"attempt":1.5`), "attempt is 1.5; write a whole number"},
		"attempt below":   {bad(`"attempt":-1`), "attempt is -1; use 1 for the first try"},
		"suite": {bad(`"suiteTests":[1]`),
			"suiteTests is [1]; write an array of strings, the tests of the suite in order"},
		"time": {bad(`"at":"yesterday"`),
			`at is "yesterday"; write the time of the run as 2026-01-28T09:00:00Z, or in seconds or milliseconds since 1970`},
		"year 9999": {bad(`"timestamp":"9999-12-31T00:00:00Z"`),
			"timestamp is in the year 9999; use the time of the run, such as 2026-01-28T09:00:00Z"},
		"year 9999, number": {bad(`"timestamp":253402214400`),
			"timestamp is in the year 9999; use the time of the run, such as 2026-01-28T09:00:00Z"},
		"direction": {bad(`"direction":"up"`), `direction is "up"; use false_pass, false_fail, other or environment`},
		"contradiction": {bad(`"correct":true,"direction":"other"`),
			"direction is given although correct is true; leave one of them out"},
		"right, yet unequal": {`{"prompt":"p","judgment":"pass","ground_truth":"fail","correct":true}`,
			"correct is true although judgment reads as pass and ground_truth as fail; mend the one that is wrong, or leave " +
				"this one out and the two are compared"},
		"its own names": {`{"testCase":{"prompt":"p","groundTruth":{"has_defect":false}},"result":{"has_defect":false},` +
			`"evaluation":{"isAgentCorrect":false}}`,
			"evaluation.isAgentCorrect is false although result and testCase.groundTruth both read as pass and differ in " +
				"nothing else; mend the one that is wrong, or say in testCase.groundTruth what the result should have said " +
				"besides"},
		"other direction": {`{"prompt":"p","judgment":"pass","ground_truth":"fail","direction":"false_fail"}`,
			"direction is false_fail although judgment reads as pass and ground_truth as fail, which is false_pass; mend the " +
				"one that is wrong, or leave this one out and it is derived"},
		"two spellings": {bad(`"scene_id":"A","ui_scene_id":"B"`),
			`ui_scene_id says "B" but scene_id says "A"; leave one of them out`},
		"nested spellings": {bad(`"case_id":"A","testCase":{"case_id":"B"}`),
			`testCase.case_id says "B" but case_id says "A"; leave one of them out`},
		"no prompt":   {`{"judgment":1}`, "prompt is missing; say what the agent was asked to test"},
		"no judgment": {`{"prompt":"p"}`, "judgment is missing; say what the agent judged, in any JSON"},
		"test case only": {`{"prompt":"p","ground_truth":{"has_defect":true}}`,
			"judgment is missing: this is a test case with its ground truth, not a run; run the agent on it and add what it " +
				"judged"},
		"NUL escaped":     {bad(`"scene_id":"a\u0000b"`), "scene_id has a NUL character in it; remove it"},
		"NUL in judgment": {`{"prompt":"p","judgment":{"a":["\u0000"]}}`, "judgment.a has a NUL character in it; remove it"},
		"NUL bare":        {"{\"prompt\":\"p\x00\",\"judgment\":1}", "prompt has a NUL character in it; remove it"},
		"control": {"{\"prompt\":\"p\tq\",\"judgment\":1}",
			`prompt has a bare control character U+0009 in a string; write it as \u0009`},
		"half a pair": {bad(`"reason":"\ud800x"`),
			`reason has half of a surrogate pair (\ud800) in it; write the whole character or remove it`},
		"low half": {bad(`"reason":"\udc00"`),
			`reason has half of a surrogate pair (\udc00) in it; write the whole character or remove it`},
		"not UTF-8": {"{\"prompt\":\"caf\xe9\",\"judgment\":1}", "prompt is not valid UTF-8; save the file as UTF-8"},
		"key twice": {`{"prompt":"p","prompt":"q","judgment":1}`,
			"prompt is there twice in one object; keep one of them"},
		"key twice, below": {`{"prompt":"p","judgment":{"a":1,"\u0061":2}}`,
			"judgment.a is there twice in one object; keep one of them"},
		"deep": {`{"prompt":"p","judgment":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`,
			"judgment nests deeper than 64"},
		"too deep": {`{"prompt":"p","judgment":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
			"judgment nests deeper than 64; flatten it"},
		"field too long": {`{"judgment":1,"prompt":"` + strings.Repeat("x", tree.MaxField+1) + `"}`,
			"prompt has 1048577 bytes; the most is 1048576"},
		"too long": {`{"judgment":1,"prompt":"` + strings.Repeat("x", MaxRecord) + `"}`,
			"the object has more than 8 MiB; shorten its longest field, most often observation"},
		"no value": {`{"prompt": ,"judgment":1}`,
			`the line is not JSON: at byte 12 comes ",\"judgment\":1}" where a value was expected`},
		"no colon":         {`{"prompt" "p"}`, `the line is not JSON: at byte 11 comes "\"p\"}" where a colon was expected`},
		"comma at the end": {`{"prompt":"p",}`, `the line is not JSON: at byte 15 comes "}" where a string was expected`},
		"single quotes": {`{'prompt':'p'}`, `the line is not JSON: at byte 2 comes "'prompt':'p'}" where a string was ` +
			`expected`},
		"bad number": {bad(`"x":-a`), `the line is not JSON: at byte 33 comes "a}" where a digit was expected`},
		"bad escape": {bad(`"x":"\x"`), `the line is not JSON: at byte 33 comes "\\x\"}" where an escape such as ` +
			`\n or \u4e2d was expected`},
		"cut in a string": {`{"prompt":"che`, `the object has a string that is not closed on its line; was the line cut ` +
			`off? Write a line break in a string as \n`},
		"cut outside": {`{"prompt":"p",`, "the object is not closed with } before the next begins; was the line cut " +
			"off?"},
		"text after": {good + `, {"a":1}`, `after the object comes ", {\"a\":1}"; write one object a line`},
		"a log line": {"INFO started", `the line is not JSON: it begins with "INFO started"; write one object a line, ` +
			`each beginning with {`},
		"a number": {"42", `the line is not JSON: it begins with "42"; write one object a line, each beginning with {`},
	} {
		t.Run(name, func(t *testing.T) {
			es, problems := read(t, strings.NewReader(good+"\n"+c.in+"\n"+good+"\n"))
			require.Equal(t, []string{"runs.jsonl:2: " + c.want}, problems)
			require.Len(t, es, 2)
		})
	}
}

func TestReadArrayProblems(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		good int
		want []string
	}{
		"not objects": {`[1,"a,]",` + good + `,[{}],null]`,
			1, []string{`1: the element is not an object but "1"; every evaluation is an object`,
				`1: the element is not an object but "\"a,]\""; every evaluation is an object`,
				"1: the element is an array; every evaluation is an object",
				`1: the element is not an object but "null"; every evaluation is an object`}},
		"comma too many": {"[" + good + ",\n]", 1, []string{"2: the array has a comma before its ]; remove the comma"}},
		"comma missing": {"[" + good + "\n" + good + "]",
			2, []string{"2: the array has no comma between two objects; write one"}},
		"not closed": {"[" + good, 1, []string{"1: the array is not closed with ]; was the file cut off?"}},
		"element cut": {"[" + good + ",\n{\"prompt\":\"p\"",
			1, []string{"2: the object is not closed with }; was the file cut off?",
				"2: the array is not closed with ]; was the file cut off?"}},
		"line of fault": {"[\n{\n\"judgment\":1,\n\"prompt\":7\n}\n]",
			0, []string{"4: prompt is a number; write it as a string"}},
	} {
		t.Run(name, func(t *testing.T) {
			es, problems := read(t, strings.NewReader(c.in))
			require.Len(t, es, c.good)
			for i := range c.want {
				c.want[i] = "runs.jsonl:" + c.want[i]
			}
			require.Equal(t, c.want, problems)
		})
	}
}

func TestReadFiles(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":       {"", "runs.jsonl is empty; write one JSON object a line, with prompt and judgment"},
		"blank":       {"\xef\xbb\xbf\n \r\n", "runs.jsonl is empty; write one JSON object a line, with prompt and judgment"},
		"empty array": {"[]", "runs.jsonl is empty; write one JSON object a line, with prompt and judgment"},
		"gzip":        {"\x1f\x8b\x08\x00", "runs.jsonl is compressed with gzip; unpack it first, for example with gunzip"},
		"zstd":        {"\x28\xb5\x2f\xfd", "runs.jsonl is compressed with zstd; unpack it first, for example with unzstd"},
		"zip":         {"PK\x03\x04", "runs.jsonl is a zip archive; unpack it and name a file in it"},
		"UTF-16":      {"\xff\xfe{\x00", "runs.jsonl is UTF-16; save it as UTF-8"},
		"binary":      {"\x7fELF\x02\x01\x00\x00", "runs.jsonl is binary, not text; give a file of JSON objects, one a line"},
	} {
		t.Run(name, func(t *testing.T) {
			es, problems := read(t, strings.NewReader(c.in))
			require.Empty(t, es)
			require.Equal(t, []string{c.want}, problems)
		})
	}
	t.Run("folder", func(t *testing.T) {
		f, err := os.Open(t.TempDir())
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		_, problems := read(t, f)
		require.Equal(t, []string{"runs.jsonl is a folder; name a file in it"}, problems)
	})
	t.Run("embedded folder", func(t *testing.T) {
		f, err := fstest.MapFS{"a/b": {}}.Open("a")
		require.NoError(t, err)
		_, problems := read(t, f)
		require.Equal(t, []string{"runs.jsonl is a folder; name a file in it"}, problems)
	})
	t.Run("disk failure", func(t *testing.T) {
		broken := errors.New("the disk is gone")
		es, problems := read(t, io.MultiReader(strings.NewReader(good+"\n"+good[:20]), iotest.ErrReader(broken)))
		require.Len(t, es, 1)
		require.Equal(t, []string{"read runs.jsonl: the disk is gone"}, problems)
	})
}

func TestReadStopsWhenAsked(t *testing.T) {
	for range Read("runs.jsonl", strings.NewReader(good+"\nx\n"+good)) {
		break
	}
	n := 0
	for _, err := range Read("runs.jsonl", strings.NewReader("x\n"+good)) {
		n++
		require.Error(t, err)
		break
	}
	require.Equal(t, 1, n)
}

// TestReadLongLine reads a line of 100 MB in bounded memory.
func TestReadLongLine(t *testing.T) {
	piece := bytes.Repeat([]byte("x"), 1<<20)
	parts := []io.Reader{strings.NewReader(good + "\n" + `{"prompt":"`)}
	for range 100 {
		parts = append(parts, bytes.NewReader(piece))
	}
	parts = append(parts, strings.NewReader("\"}\n"+good))
	s := &objectSplitter{r: io.MultiReader(parts...), line: 1, mark: -1}
	var problems []string
	frames := 0
	for {
		f, err := s.next()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		frames++
		if f.problem != "" {
			require.Equal(t, 2, f.line)
			problems = append(problems, f.problem)
		}
	}
	require.Equal(t, 3, frames)
	require.Equal(t, []string{"the object has more than 8 MiB; shorten its longest field, most often observation"},
		problems)
	require.LessOrEqual(t, cap(s.buf), 4*MaxRecord)
}
