package taxonomy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseAddsAndChanges(t *testing.T) {
	tax, err := Parse("memtree.yaml", []byte(`
groups:
  - id: device
    name: {en: devices, zh: 设备类}
errorTypes:
  - id: printer_error
    group: device
    name: 打印错误
    description: {en: The printer was misjudged., zh: 打印机判断有误。}
    checklist: {en: Read the printed page., zh: 查看打印出的页面。}
    cues:
      - {weight: 3, say: [printer, 打印机]}
      - {weight: 1, say: [paper]}
  - id: async_timing_error
    checklist: {zh: 等两秒再看。}
    cues:
      - {weight: 2.5, say: [turbo frame]}
      - {weight: 3, say: [spinner]}
      - {weight: 0, say: [spinner]}
sceneTypes:
  - {id: kiosk, parent: form, name: {en: kiosk, zh: 自助终端}, aliases: [terminal]}
  - {id: form, aliases: [录单页]}
`))
	require.NoError(t, err)
	p, ok := tax.ErrorType("printer_error")
	require.True(t, ok)
	require.Equal(t, Text{EN: "打印错误", ZH: "打印错误"}, p.Name)
	require.Equal(t, []Cue{{"printer", 3}, {"打印机", 3}, {"paper", 1}}, p.Cues)
	a, _ := tax.ErrorType("async_timing_error")
	was, _ := Default().ErrorType("async_timing_error")
	require.Equal(t, "等两秒再看。", a.Checklist.ZH)
	require.Equal(t, was.Checklist.EN, a.Checklist.EN)
	require.NotEmpty(t, was.Brief)
	require.Empty(t, a.Brief, "it was of the checklist that is no more")
	require.Equal(t, []Cue{{"turbo frame", 2.5}}, a.Cues, "what is silenced is none")
	require.Empty(t, was.Cues, "the built-in one is as it was")
	s, ok := tax.SceneType("Terminal")
	require.True(t, ok)
	require.Equal(t, "form", s.Parent)
	s, ok = tax.SceneType("录单页")
	require.True(t, ok)
	require.Equal(t, "form", s.ID)
	_, ok = Default().SceneType("录单页")
	require.False(t, ok)
}

func TestParseNothing(t *testing.T) {
	for _, overlay := range []string{"", "\n", "# words\n", "---\n"} {
		tax, err := Parse("memtree.yaml", []byte(overlay))
		require.NoError(t, err, "%q", overlay)
		require.Equal(t, Default().ErrorTypes(), tax.ErrorTypes())
		require.Equal(t, Default().SceneTypes(), tax.SceneTypes())
	}
}

func TestParseTakesItsOwnSource(t *testing.T) {
	source, err := os.ReadFile("builtin.yaml")
	require.NoError(t, err)
	tax, err := Parse("builtin.yaml", source)
	require.NoError(t, err)
	require.Equal(t, Default(), tax)
}

func TestParseSays(t *testing.T) {
	const entry = "group: state, name: n, description: d, checklist: c"
	for name, c := range map[string]struct{ overlay, want string }{
		"syntax": {"errorTypes:\n  - id: [", "m.yaml:2: is not YAML: "},
		"unknown field": {"errorTypes:\n  - id: a_b\n    colour: red",
			`m.yaml:3: "errorTypes[0].colour" is no field here; use brief, checklist, cues, description, group, id, name`},
		"unknown top":    {"errortypes: []", `m.yaml:1: "errortypes" is no field here; use checks, errorTypes, `},
		"field twice":    {"errorTypes:\n  - id: a_b\n    id: c_d", `m.yaml:3: `},
		"no list":        {"errorTypes: many", "m.yaml:1: errorTypes is a text; write a list, each entry beginning with -"},
		"no list, empty": {"sceneTypes:\n", "sceneTypes is empty; write a list"},
		"no fields":      {"errorTypes:\n  - one", "m.yaml:2: errorTypes[0] is a text; write fields, each name: value"},
		"no id":          {"errorTypes:\n  - {" + entry + "}", "m.yaml:2: errorTypes[0].id is missing"},
		"bad slug": {"errorTypes:\n  - {id: Bad-Name, " + entry + "}",
			`errorTypes[0].id is "Bad-Name"; use up to 64 lower-case letters, digits and _, a letter first`},
		"path as id": {"sceneTypes:\n  - {id: ../etc, name: n}", `sceneTypes[0].id is "../etc"; use`},
		"duplicate": {"errorTypes:\n  - {id: a_b, " + entry + "}\n  - {id: a_b, " + entry + "}",
			`m.yaml:3: errorTypes[1].id is "a_b" again, as in line 2; put both into one entry`},
		"unknown group": {"errorTypes:\n  - {id: a_b, group: x, name: n, description: d, checklist: c}",
			`errorTypes[0].group is "x", which is no group; use one of state, element, interaction, business, other`},
		"no group": {"errorTypes:\n  - {id: a_b, name: n, description: d, checklist: c}",
			"errorTypes[0].group is missing"},
		"no checklist": {"errorTypes:\n  - {id: a_b, group: state, name: n, description: d}",
			"errorTypes[0].checklist is missing; a new entry needs it in en, zh or both"},
		"empty text": {"errorTypes:\n  - {id: edge_case_error, name: ' '}",
			"errorTypes[0].name is empty; write something or leave the field out"},
		"empty language": {"errorTypes:\n  - {id: edge_case_error, name: {en: }}",
			"errorTypes[0].name.en is empty; write a text"},
		"too long": {"errorTypes:\n  - {id: edge_case_error, name: " + strings.Repeat("x", 81) + "}",
			"errorTypes[0].name has 81 bytes; the most is 80, shorten it"},
		"two lines": {"errorTypes:\n  - {id: edge_case_error, name: \"a\\nb\"}",
			"errorTypes[0].name has a line break or control character"},
		"weight": {"errorTypes:\n  - id: edge_case_error\n    cues:\n      - {weight: heavy, say: [x]}",
			"m.yaml:4: errorTypes[0].cues[0].weight is a text; write a number from 0 to 10"},
		"weight range": {"errorTypes:\n  - id: edge_case_error\n    cues:\n      - {weight: 11, say: [x]}",
			"errorTypes[0].cues[0].weight is 11; use 0 to 10"},
		"no phrase": {"errorTypes:\n  - id: edge_case_error\n    cues:\n      - {weight: 1}",
			"errorTypes[0].cues[0].say is missing; list the phrases"},
		"phrases no list": {"errorTypes:\n  - id: edge_case_error\n    cues:\n      - {weight: 1, say: x}",
			"errorTypes[0].cues[0].say is a text; write a list such as [one, two]"},
		"unknown parent": {"sceneTypes:\n  - {id: kiosk, parent: hall, name: n}",
			`m.yaml:2: sceneTypes[0].parent is "hall", which is no scene type; declare it under sceneTypes, ` +
				`or leave parent out`},
		"own parent": {"sceneTypes:\n  - {id: kiosk, parent: kiosk, name: n}",
			`sceneTypes[0].parent is "kiosk" itself; leave parent out, or name another`},
		"cycle": {"sceneTypes:\n  - {id: a, parent: b, name: n}\n  - {id: b, parent: a, name: n}",
			`sceneTypes[0].parent makes "a" its own ancestor (a → b → a); leave parent out of one of them`},
		"cycle built in": {"sceneTypes:\n  - {id: input, parent: login}",
			`sceneTypes[0].parent makes "input" its own ancestor`},
		"check cycle": {"checks:\n  - {id: operate_control, wider: a_b}\n  - {id: a_b, wider: operate_control, name: " +
			"n, errorTypes: [edge_case_error], missed: {do: Look twice.}}",
			`checks[0].wider makes "operate_control" its own ancestor`},
		"check unknown": {"checks:\n  - {id: operate_control, colour: red}",
			`m.yaml:2: "checks[0].colour" is no field here; use alarm, asked, `},
		"check no verb": {"checks:\n  - {id: operate_control, missed: {do: 'The button in the corner.'}}",
			`checks[0].missed.do is "The button in the corner.", which tells nobody to do anything; begin it with what to do`},
		"check no thing": {"checks:\n  - {id: operate_control, missed: {with: Click it.}}",
			"checks[0].missed.with has no {what} in it; say where the things go"},
		"check direction": {"checks:\n  - {id: operate_control, directions: [up]}",
			`checks[0].directions has "up" in it; use false_pass, false_fail and other`},
		"check type": {"checks:\n  - {id: operate_control, errorTypes: [nope]}",
			`checks[0].errorTypes has "nope" in it, which is no error type to learn from`},
		"check nothing": {"checks:\n  - {id: a_b, name: n, errorTypes: [edge_case_error]}",
			"checks[0].missed.do is missing; a new check says what to do"},
		"alias": {"errorTypes: &a\n  - id: edge_case_error\nsceneTypes: *a",
			"m.yaml:1: errorTypes is an anchor or alias, which are not read (write it out)"},
		"tag":           {"errorTypes: !!seq []", "a tagged value, which is not read"},
		"two documents": {"errorTypes: []\n---\nerrorTypes: []", "m.yaml: has 2 YAML documents; put all into one"},
		"NUL":           {"errorTypes: []\x00", "m.yaml: has a NUL character at byte 14; remove it"},
		"too big":       {strings.Repeat("#", maxOverlay+1), "the most is 262144"},
		"long line": {"errorTypes: [" + strings.Repeat("a,", 5000),
			"m.yaml: has a line of 10013 bytes; the most is 8192"},
		"too deep":       {strings.Repeat("[", 8000), "m.yaml: nests brackets deeper than 32"},
		"lists in lists": {strings.Repeat("- ", 4000) + "x", "m.yaml: nests lists deeper than 8 in one line"},
		"too many": {many("sceneTypes:\n", "  - {id: t%d, name: n}\n", 500),
			"sceneTypes makes 534 with the built-in ones; the most is 500"},
		"too many phrases": {"errorTypes:\n  - id: edge_case_error\n    cues:\n      - {weight: 1, say: [\n" +
			many("", "      p%d,\n", 1000) + "      ]}\n      - {weight: 1, say: [q]}", "errorTypes[0].cues makes"},
	} {
		t.Run(name, func(t *testing.T) {
			tax, err := Parse("m.yaml", []byte(c.overlay))
			require.ErrorContains(t, err, c.want)
			require.Nil(t, tax)
			p, ok := errors.AsType[*ParseError](err)
			require.True(t, ok)
			require.Equal(t, "m.yaml", p.File)
		})
	}
}

func TestParseReportsAllProblemsUpToTwenty(t *testing.T) {
	_, err := Parse("m.yaml", []byte(many("errorTypes:\n", "  - {id: BAD%d}\n", 50)))
	require.Len(t, Problems(err), 21)
	require.True(t, strings.HasSuffix(err.Error(), "\nm.yaml: has 30 more problems; mend these first"))
}

// Each problem is on a line of its own, once, in the order of the lines, whichever step of reading finds it; a problem
// that only follows from another is omitted.
func TestParseReportsEachProblemOnce(t *testing.T) {
	_, err := Parse("m.yaml", []byte(`checks:
  - id: selfish
    wider: selfish
    errorTypes: [nope]
    name: {en: Self}
    missed:
      do: The button in the corner.
  - id: one
    wider: two
    errorTypes: [edge_case_error]
    name: One
    missed: 7
  - id: two
    wider: one
    errorTypes: [edge_case_error]
    name: Two
    missed:
      do: {en: The left one., zh: 左边的那个。}
      with: {en: The thing.}
sceneTypes:
  - one
`))
	require.Equal(t, []string{
		`m.yaml:2: checks[0].errorTypes has "nope" in it, which is no error type to learn from; declare it under errorTypes`,
		`m.yaml:2: checks[0].wider is "selfish" itself; leave wider out, or name another`,
		`m.yaml:7: checks[0].missed.do is "The button in the corner.", which tells nobody to do anything; ` +
			`begin it with what to do, such as click, compare or wait (点击、比较、等待)`,
		`m.yaml:8: checks[1].wider makes "one" its own ancestor (one → two → one); leave wider out of one of them`,
		"m.yaml:12: checks[1].missed is a number; write fields, each name: value",
		`m.yaml:18: checks[2].missed.do is "The left one.", which tells nobody to do anything; begin it with what to do, ` +
			`such as click, compare or wait (点击、比较、等待)`,
		`m.yaml:18: checks[2].missed.do is "左边的那个。", which tells nobody to do anything; begin it with what to do, ` +
			`such as click, compare or wait (点击、比较、等待)`,
		`m.yaml:19: checks[2].missed.with is "The thing.", which tells nobody to do anything; begin it with what to do, ` +
			`such as click, compare or wait (点击、比较、等待)`,
		`m.yaml:19: checks[2].missed.with has no {what} in it; say where the things go`,
		"m.yaml:21: sceneTypes[0] is a text; write fields, each name: value",
	}, strings.Split(err.Error(), "\n"))
	require.Len(t, Problems(fmt.Errorf("open memory: %w", err)), 10)
	require.Empty(t, Problems(fs.ErrNotExist))
}

func many(head, form string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("errorTypes:\n  - id: a\n    cues: [{weight: 1, say: [x]}]\nsceneTypes: []\n"))
	f.Add([]byte("a: &a [1]\nb: *a\n<<: *a\n"))
	f.Add([]byte("? - ? |\n x: >\n  %YAML"))
	f.Fuzz(func(t *testing.T, overlay []byte) {
		tax, err := Parse("m.yaml", overlay)
		if err != nil {
			require.Nil(t, tax)
			return
		}
		for _, e := range tax.ErrorTypes() {
			require.True(t, slug(e.ID))
			_, ok := tax.group(e.Group)
			require.True(t, ok)
		}
		for _, s := range tax.SceneTypes() {
			require.True(t, slug(s.ID))
			got, ok := tax.SceneType(s.ID)
			require.True(t, ok)
			require.Equal(t, s.ID, got.ID)
			for n := 0; s.Parent != ""; n++ {
				require.Less(t, n, maxSceneTypes)
				s, ok = tax.SceneType(s.Parent)
				require.True(t, ok)
			}
		}
	})
}

func TestWithoutModel(t *testing.T) {
	tax, err := Parse("memtree.yaml", []byte("withoutModel: [payroll, 工资]\n"))
	require.NoError(t, err)
	require.True(t, tax.WithoutModel("payroll"))
	require.True(t, tax.WithoutModel("工资"))
	require.False(t, tax.WithoutModel("shop"))
	require.False(t, Default().WithoutModel(""))
	_, err = Parse("memtree.yaml", []byte("withoutModel: payroll\n"))
	require.ErrorContains(t, err, "write a list such as")
}
