package llm_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/llm"
)

const verdict = `{"type":"object","additionalProperties":false,"required":["type","confidence"],"properties":{
	"type":{"enum":["a","b"]},
	"confidence":{"type":"number","minimum":0,"maximum":1},
	"why":{"type":"string","minLength":1,"maxLength":5},
	"n":{"type":["integer","null"]},
	"cites":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}}}}`

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", `{"type":"a","confidence":0.5}`, `{"type":"a","confidence":0.5}`},
		{"spaced", " {\n \"type\" : \"a\", \"confidence\":1 } \n", `{"type":"a","confidence":1}`},
		{"fenced", "Here:\n```json\n{\"type\":\"b\",\"confidence\":0}\n```\nHope it helps!", `{"type":"b","confidence":0}`},
		{"braces in prose", `Use {x} and {{y}} like {"type":"a","confidence":1}.`, `{"type":"a","confidence":1}`},
		{"open brace in prose", `a { is open, "quoted: {"type":"a","confidence":1}`, `{"type":"a","confidence":1}`},
		{"braces in strings", `{"type":"a","confidence":1,"why":"}{\"]"}`, `{"type":"a","confidence":1,"why":"}{\"]"}`},
		{"thinking first", `<think>maybe {"type":"b","confidence":1}</think>{"type":"a","confidence":1}`,
			`{"type":"a","confidence":1}`},
		{"said twice, the same", `{"type":"a","confidence":1} so: {"type":"a", "confidence":1}`,
			`{"type":"a","confidence":1}`},
		{"another object first", `{"note":1} {"type":"a","confidence":1}`, `{"type":"a","confidence":1}`},
		{"half an object after", `{"type":"a","confidence":1}{"type":`, `{"type":"a","confidence":1}`},
		{"characters, not bytes", `{"type":"a","confidence":1,"why":"五个汉字啊"}`, `{"type":"a","confidence":1,"why":"五个汉字啊"}`},
		{"all fields", `{"type":"a","confidence":1,"n":2.0,"cites":["x"]}`,
			`{"type":"a","confidence":1,"n":2.0,"cites":["x"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := llm.Decode(c.text, json.RawMessage(verdict))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       llm.ErrorKind
		want       string
	}{
		{"nothing", "", llm.KindMalformed, "there is no JSON object"},
		{"prose", "I cannot.", llm.KindMalformed, "there is no JSON object"},
		{"an array", `["a"]`, llm.KindMalformed, "there is no JSON object"},
		{"half", `{"type":"a","confid`, llm.KindMalformed, "the JSON object has no end"},
		{"half in a string", `{"type":"a}`, llm.KindMalformed, "the JSON object has no end"},
		{"two answers", `{"type":"a","confidence":1}{"type":"b","confidence":1}`, llm.KindMalformed, "two different objects"},
		{"a field twice", `{"type":"a","type":"b","confidence":1}`, llm.KindMalformed, `the field "type" is given twice`},
		{"missing", `{"type":"a"}`, llm.KindMalformed, `the field "confidence" is missing`},
		{"unknown field", `{"type":"a","confidence":1,"delete":"all"}`, llm.KindMalformed,
			`the field "delete" is not asked for`},
		{"not in the list", `{"type":"c","confidence":1}`, llm.KindMalformed, `type: must be one of "a", "b", not "c"`},
		{"wrong type", `{"type":"a","confidence":"1"}`, llm.KindMalformed, "confidence: must be number, not string"},
		{"null", `{"type":"a","confidence":null}`, llm.KindMalformed, "confidence: must be number, not null"},
		{"over", `{"type":"a","confidence":1.01}`, llm.KindMalformed, "confidence: must be at most 1, not 1.01"},
		{"under", `{"type":"a","confidence":-0.1}`, llm.KindMalformed, "confidence: must be at least 0"},
		{"absurd number", `{"type":"a","confidence":1e999999999}`, llm.KindMalformed, "number 1e999999999"},
		{"too long", `{"type":"a","confidence":1,"why":"六个汉字啊啊"}`, llm.KindMalformed,
			"why: has 6 characters, must have at most 5"},
		{"too short", `{"type":"a","confidence":1,"why":""}`, llm.KindMalformed, "why: has 0 characters"},
		{"not whole", `{"type":"a","confidence":1,"n":1.5}`, llm.KindMalformed, "n: must be integer or null, not number"},
		{"too many", `{"type":"a","confidence":1,"cites":["a","b","c"]}`, llm.KindMalformed, "cites: has 3 items"},
		{"wrong item", `{"type":"a","confidence":1,"cites":[1]}`, llm.KindMalformed, "cites[0]: must be string"},
		{"not UTF-8", "{\"type\":\"a\xff\"}", llm.KindMalformed, "not valid UTF-8"},
		{"too deep", strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), llm.KindMalformed, "answer: "},
		{"open braces only", strings.Repeat("{", 1<<19), llm.KindMalformed, "has no end"},
		{"too large", strings.Repeat(" ", llm.MaxAnswer+1), llm.KindTooLarge, "bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := llm.Decode(c.text, json.RawMessage(verdict))
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.kind, llm.KindOf(err))
		})
	}
}

func TestDecodeRefusesASchemaItDoesNotKnow(t *testing.T) {
	for _, schema := range []string{`{"pattern":"x"}`, `{"type":"float"}`, `{"type":3}`, `[`, `{"properties":{"a":null}}`,
		`{"items":{"type":"x"}}`} {
		_, err := llm.Decode(`{}`, json.RawMessage(schema))
		require.Equal(t, llm.KindBadRequest, llm.KindOf(err), schema)
	}
	got, err := llm.Decode(`any { } object {"a":1}`, nil)
	require.ErrorContains(t, err, "two different objects", "%s", got)
	got, err = llm.Decode(`any object {"a":1}`, nil)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(got))
}

// A general validator and ours agree on what fits the schema.
func TestDecodeAgreesWithAGeneralValidator(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(verdict))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("verdict.json", doc))
	oracle, err := compiler.Compile("verdict.json")
	require.NoError(t, err)

	values := []any{"a", "b", "c", "", "汉字", "123456", 0, 1, 0.5, -1, 2, 1.5, 1e3, true, nil, []any{}, []any{"x"},
		[]any{"x", "y"}, []any{1}, []any{"x", "y", "z"}, map[string]any{}}
	fields := []string{"type", "confidence", "why", "n", "cites", "other"}
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.SampledFrom(fields), rapid.SampledFrom(values)).Draw(t, "object")
		if rapid.Bool().Draw(t, "near") {
			object["type"], object["confidence"] = "a", 1
		}
		raw, err := json.Marshal(object)
		require.NoError(t, err)
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		require.NoError(t, err)
		want := oracle.Validate(v)
		_, got := llm.Decode(string(raw), json.RawMessage(verdict))
		require.Equal(t, want == nil, got == nil, "%s\nvalidator: %v\nours: %v", raw, want, got)
	})
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"type":"a","confidence":1}`, "```json\n{\"type\":\"b\",\"confidence\":0}\n```", `{{{"a":[}`, `{"a":"\ud800"}`,
		`<think>{"type":"a"}</think>{"type":"b","confidence":1e400}`, `{"a":1,"a":2}`, "{\"a\":\"\x00\"}",
		`{"type":"a","confidence":1}{`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, schema := range []string{"", verdict} {
			got, err := llm.Decode(text, json.RawMessage(schema))
			if err != nil {
				require.NotEmpty(t, llm.KindOf(err))
				require.Nil(t, got)
				continue
			}
			require.True(t, json.Valid(got) && utf8.Valid(got))
			var object map[string]any
			require.NoError(t, json.Unmarshal(got, &object))
			again, err := llm.Decode(string(got), json.RawMessage(schema))
			require.NoError(t, err, "an answer that was accepted is accepted again")
			require.Equal(t, string(got), string(again))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	text := "Sure!\n```json\n" + `{"type":"a","confidence":0.5,"why":"short","cites":["x","y"]}` + "\n```"
	for b.Loop() {
		if _, err := llm.Decode(text, json.RawMessage(verdict)); err != nil {
			b.Fatal(err)
		}
	}
}
