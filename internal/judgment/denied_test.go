package judgment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestDenied(t *testing.T) {
	yes, no := true, false
	const (
		mendPass = "; mend the one that is wrong, or leave this one out and the two are compared"
		mendSame = " and differ in nothing else; mend the one that is wrong, " +
			"or say in ground_truth what the judgment should have said besides"
		mendWay = "; mend the one that is wrong, or leave this one out and it is derived"
	)
	for _, c := range []struct {
		judgment, truth string
		correct         *bool
		direction       taxonomy.Direction
		want            string // "" for none
	}{
		// What is right cannot have verdicts that differ.
		{`"pass"`, `"fail"`, &yes, "", "correct is true although judgment reads as pass and ground_truth as fail" + mendPass},
		{`"不通过"`, `"通过"`, &yes, "", "correct is true although judgment reads as fail and ground_truth as pass" + mendPass},
		{`false`, `true`, &yes, "", "correct is true although judgment reads as fail and ground_truth as pass" + mendPass},
		{`{"verdict":"pass","reason":"fine"}`, `{"has_defect":true}`, &yes, "",
			"correct is true although judgment reads as pass and ground_truth as fail" + mendPass},
		{`"pass"`, `"pass"`, &yes, "", ""},
		{`"pass"`, `{"has_defect":false,"defect_details":[]}`, &yes, "", ""},
		{`"Rome"`, `"Paris"`, &yes, "", ""}, // an alias, or several are right
		{`"pass"`, ``, &yes, "", ""},
		{`{"verdict":"pass","flaky":true}`, `"fail"`, &yes, "", ""}, // memtree's own advice is to settle it so

		// What is wrong must differ in something.
		{`"pass"`, `"pass"`, &no, "", "correct is false although judgment and ground_truth both read as pass" + mendSame},
		{`"fail"`, `"失败"`, &no, "false_fail", "correct is false although judgment and ground_truth both read as fail" +
			mendSame},
		{`{"verdict":"pass","reason":"fine"}`, `{"has_defect":false,"defect_details":[],"defect_level":null}`, &no, "",
			"correct is false although judgment and ground_truth both read as pass" + mendSame},
		{`{"verdict":"fail","page":" Cart. "}`, `{"verdict":"failed","page":"cart"}`, &no, "",
			"correct is false although judgment and ground_truth both read as fail" + mendSame},
		{`"pass"`, `"pass"`, nil, "false_pass",
			"direction is false_pass although judgment and ground_truth both read as pass" + mendSame},
		{`"pass"`, `"pass"`, nil, "other", "direction is other although judgment and ground_truth both read as pass" +
			mendSame},
		{`{"verdict":"fail","defects":["title"]}`, `{"verdict":"fail","defects":["price"]}`, &no, "", ""},
		{`{"verdict":"fail","defects":["title"]}`, `"fail"`, &no, "", ""}, // the wrong defect
		{`{"verdict":"fail","defects":["title"]}`, `{"verdict":"fail","defects":[]}`, &no, "", ""},
		{`{"verdict":"fail"}`, `{"verdict":"fail","level":"high"}`, &no, "", ""},
		{`{"verdict":"fail"}`, `"FAIL: the price is wrong"`, &no, "", ""},
		{`{"verdict":"done","actions":[{"name":"a"}]}`, `"done"`, &no, "", ""},
		{`{"verdict":"done","actions":[{"name":"a"}]}`, `{"verdict":"done","actions":[{"name":"a"}]}`, &no, "",
			"correct is false although judgment and ground_truth both read as pass" + mendSame},
		{`"pass"`, `"fail"`, &no, "", ""},
		{`"Paris"`, `"Paris"`, &no, "", ""},
		{`"pass"`, ``, &no, "false_pass", ""},
		{`"flaky"`, `"pass"`, &no, "", ""},

		// A direction is the one the verdicts have.
		{`"pass"`, `"fail"`, &no, "false_fail",
			"direction is false_fail although judgment reads as pass and ground_truth as fail, which is false_pass" + mendWay},
		{`"fail"`, `"pass"`, nil, "false_pass",
			"direction is false_pass although judgment reads as fail and ground_truth as pass, which is false_fail" + mendWay},
		{`"pass"`, `"fail"`, &no, "false_pass", ""},
		{`"pass"`, `"fail"`, &no, "other", ""}, // less specific, not contrary
		{`{"verdict":"fail","defects":["title"]}`, `{"verdict":"fail","defects":["price"]}`, &no, "false_pass", ""},
		{`"fail"`, `"a text that says a lot and no verdict"`, &no, "false_pass", ""},
		{`{"passed":true}`, ``, &no, "false_fail", "direction is false_fail although judgment reads as pass" + mendWay},
		{`{"has_defect":true}`, `null`, nil, "false_pass",
			"direction is false_pass although judgment reads as fail" + mendWay},
		{`{"passed":true}`, ``, &no, "other", ""},
		{`"Paris"`, ``, &no, "false_fail", ""},
		{`{"verdict":"pass","flaky":true}`, ``, &no, "false_fail", ""},
	} {
		e := tree.Evaluation{Judgment: tree.Raw(c.judgment), GroundTruth: tree.Raw(c.truth), Correct: c.correct,
			Direction: c.direction}
		err := Denied(&e, "judgment", "ground_truth")
		if c.want == "" {
			require.NoError(t, err, "%s %s", c.judgment, c.truth)
			continue
		}
		var f *tree.FieldError
		require.ErrorAs(t, err, &f, "%s %s", c.judgment, c.truth)
		require.Equal(t, c.want, f.Error())
	}
	e := tree.Evaluation{Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`), Correct: &yes}
	require.EqualError(t, Denied(&e, "verdict", "expected"),
		"correct is true although verdict reads as pass and expected as fail"+mendPass, "by the names of the source")
}
