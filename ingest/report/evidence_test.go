package report_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/tree"
)

// shots are the stored pictures of tests: by hash.
type shots struct {
	from *report.Attachments
	kept map[string]string // name by bytes
}

// keep stores a picture without looking at it.
func (s *shots) keep(x report.Shot) (tree.Picture, error) {
	r := io.NopCloser(x.Data)
	if x.Data == nil {
		var err error
		if r, err = s.from.Open(x.Path); err != nil {
			return tree.Picture{}, err
		}
	}
	b, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return tree.Picture{}, err
	}
	s.kept[string(b)] = x.Name
	sum := sha256.Sum256(b)
	return tree.Picture{SHA256: hex.EncodeToString(sum[:]), Name: x.Name, Type: "image/png", Width: 1, Height: 1,
		Bytes: len(b)}, nil
}

// readWith reads a report and stores its pictures; attachments are in dir.
func readWith(t *testing.T, f report.Format, dir string, in ...input) ([]tree.Evaluation, *shots, *report.FileReader) {
	t.Helper()
	from, err := report.OpenAttachments(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, from.Close()) })
	s := &shots{from, map[string]string{}}
	rd, err := report.NewReader(f, report.Options{Keep: s.keep, Link: "https://ci.example/7"})
	require.NoError(t, err)
	var es []tree.Evaluation
	take := func(e tree.Evaluation, err error) {
		require.NoError(t, err)
		require.NoError(t, e.Check())
		es = append(es, e)
	}
	for _, x := range in {
		for e, err := range rd.File(x.name, strings.NewReader(x.content)) {
			take(e, err)
		}
	}
	for e, err := range rd.End() {
		take(e, err)
	}
	return es, s, rd
}

// folder makes files in a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		at := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(content), 0o600))
	}
	return dir
}

const playwrightAttached = `{"config":{},"suites":[{"title":"cart.spec.ts","specs":[{"title":"total","id":"1","tests":[
{"expectedStatus":"passed","projectName":"chromium","status":"unexpected",
"annotations":[{"type":"issue","description":"https://bugs.example/9"},
{"type":"note","description":"javascript:alert(1)"}],
"results":[{"status":"failed","retry":0,"startTime":"2026-01-28T09:00:00.000Z","errors":[{"message":"Expected: 42"}],
"steps":[{"title":"open the cart","steps":[{"title":"click"}]},{"title":"compare","error":{"message":"x"}}],
"attachments":[%s]}]}]}]}]}`

func attached(name, path string) string {
	return fmt.Sprintf(`{"name":%q,"contentType":"image/png","path":%q}`, name, path)
}

// Whatever a Playwright report attaches reaches the run, and what lies elsewhere does not.
func TestEvidenceOfPlaywright(t *testing.T) {
	dir := folder(t, map[string]string{"test-results/cart-total/test-failed-1.png": "one", "elsewhere.png": "no"})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.png")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	require.NoError(t, os.Truncate(filepath.Join(dir, "elsewhere.png"), 100<<20))
	content := fmt.Sprintf(playwrightAttached, strings.Join([]string{
		attached("screenshot", "/home/ci/shop/test-results/cart-total/test-failed-1.png"),
		`{"name":"trace","contentType":"application/zip","path":"trace.zip"}`,
		`{"name":"inline","contentType":"image/png","body":"` + base64.StdEncoding.EncodeToString([]byte("two")) + `"}`,
		attached("huge", "elsewhere.png"), attached("link", "link.png"), attached("up", "../../etc/passwd"),
		attached("gone", `C:\work\gone\x.png`), attached("folder", "test-results/cart-total"),
		`{"name":"broken","contentType":"image/png","body":"!!!"}`,
	}, ","))
	es, s, rd := readWith(t, report.Playwright, dir, input{"report.json", content})
	require.Len(t, es, 1)
	v := es[0].Evidence
	require.Equal(t, "Expected: 42", v.Failure)
	require.Equal(
		t,
		[]tree.TestStep{{Title: "open the cart"}, {Title: "click"}, {Title: "compare", Failed: true}},
		v.Steps,
	)
	require.Equal(
		t,
		[]tree.Link{{Name: "run", URL: "https://ci.example/7"}, {Name: "issue", URL: "https://bugs.example/9"}},
		v.Links,
	)
	require.Equal(t, map[string]string{"one": "screenshot", "two": "inline"}, s.kept)
	require.Len(t, v.Pictures, 2)
	require.Equal(t, 2, rd.Pictures)
	var why []string
	for _, l := range rd.Why {
		why = append(why, l.Picture+" "+strings.ReplaceAll(l.Problem, dir, "DIR"))
	}
	require.Equal(t, []string{
		"elsewhere.png has more than 8 MiB", "link.png is a link; a picture is a file of its own",
		`../../etc/passwd is not in the folder "DIR"; copy it there, or name the folder that has it with --attachments`,
		`C:\work\gone\x.png is not in the folder "DIR"; copy it there, or name the folder that has it with --attachments`,
		"test-results/cart-total is no file", "broken cannot be decoded",
	}, why)
	again, _, _ := readWith(t, report.Playwright, dir, input{"report.json", content})
	require.Equal(t, es, again)
}

// A picture of 100 MB in base64 is not held, and its run is read.
func TestPictureTooLong(t *testing.T) {
	body := `{"name":"x","contentType":"image/png","body":"` + strings.Repeat("AAAA", 25<<20) + `"}`
	es, _, rd := readWith(t, report.Playwright, t.TempDir(), input{"r", fmt.Sprintf(playwrightAttached, body)})
	require.Len(t, es, 1)
	require.Empty(t, es[0].Evidence.Pictures)
	require.Equal(t, "has more than 8 MiB", rd.Why[0].Problem)
}

const allureAttached = `{"uuid":"u-1","historyId":"h","name":"total","status":"failed","stage":"finished",
"start":1767225600000,
"statusDetails":{"message":"Expected: 42"},"labels":[{"name":"suite","value":"cart"}],
"links":[{"name":"bug","url":"https://bugs.example/9","type":"issue"}],
"steps":[{"name":"open the cart","status":"passed","steps":[],"attachments":[]},{"name":"compare","status":"failed",
"attachments":[{"name":"page","source":"a-attachment.png","type":"image/png"}],"steps":[]}],
"attachments":[{"name":"log","source":"b-attachment.txt","type":"text/plain"}]}`

// Allure's attachments are files beside the results, or of the same zip.
func TestEvidenceOfAllure(t *testing.T) {
	dir := folder(t, map[string]string{"a-attachment.png": "one"})
	es, s, _ := readWith(t, report.Allure, dir, input{"u-1-result.json", allureAttached})
	require.Equal(t, map[string]string{"one": "page"}, s.kept)
	require.Equal(t, []tree.TestStep{{Title: "open the cart"}, {Title: "compare", Failed: true}}, es[0].Evidence.Steps)
	require.Equal(t, "https://bugs.example/9", es[0].Evidence.Links[1].URL)

	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string]string{"r/u-1-result.json": allureAttached, "r/a-attachment.png": "zipped"} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, content)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	es, s, _ = readWith(t, report.Allure, t.TempDir(), input{"results.zip", b.String()})
	require.Equal(t, map[string]string{"zipped": "page"}, s.kept)
	require.Len(t, es[0].Evidence.Pictures, 1)
}

// A picture in a zip that unpacks to much more is left out.
func TestZippedBomb(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a-attachment.png")
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 200<<20))
	require.NoError(t, err)
	w, err = z.Create("u-1-result.json")
	require.NoError(t, err)
	_, err = io.WriteString(w, allureAttached)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	es, _, rd := readWith(t, report.Allure, t.TempDir(), input{"results.zip", b.String()})
	require.Len(t, es, 1)
	require.Empty(t, es[0].Evidence.Pictures)
	require.Equal(t, "has more than 8 MiB", rd.Why[0].Problem)
}

func TestEvidenceOfJUnit(t *testing.T) {
	const xml = `<testsuite name="s"><testcase classname="cart" name="total"><properties>
<property name="link" value="https://bugs.example/9"/><property name="screenshot" value="shots/b.png"/></properties>
<failure message="Expected: 42"/><system-out><![CDATA[
[[ATTACHMENT|test-results/cart/a.png]]
[[ATTACHMENT|test-results/cart/video.webm]]
]]></system-out></testcase></testsuite>`
	dir := folder(t, map[string]string{"test-results/cart/a.png": "one", "shots/b.png": "two"})
	es, s, _ := readWith(t, report.JUnit, dir, input{"r.xml", xml})
	require.Equal(t, map[string]string{"one": "a.png", "two": "b.png"}, s.kept)
	require.Equal(t, "Expected: 42", es[0].Evidence.Failure)
	require.Len(t, es[0].Evidence.Links, 2)
}

const pytestReport = `{"created":1767225600.5,"duration":0.1,"exitcode":1,"root":"/shop","environment":{},
"summary":{"failed":1,"passed":1,"skipped":1,"total":3},"collectors":[],"tests":[
{"nodeid":"tests/test_cart.py::TestCart::test_total[a::b]","lineno":3,"outcome":"failed","keywords":["x"],
"metadata":{"screenshot":"shots/a.png","url":"https://bugs.example/9"},
"setup":{"duration":0,"outcome":"passed"},"call":{"duration":0,"outcome":"failed","crash":{"path":"t.py","lineno":5,
"message":"assert 3 == 4"},"longrepr":"def test_total()"},"teardown":{"duration":0,"outcome":"passed"}},
{"nodeid":"tests/test_cart.py::test_login","outcome":"passed","setup":{"outcome":"passed"}},
{"nodeid":"tests/test_cart.py::test_later","outcome":"skipped","setup":{"outcome":"skipped"}}]}`

// pytest's JSON names tests as pytest's JUnit does.
func TestPytest(t *testing.T) {
	require.Equal(t, report.Pytest, report.Recognise([]byte(pytestReport)))
	dir := folder(t, map[string]string{"shots/a.png": "one"})
	es, s, rd := readWith(t, report.Pytest, dir, input{"report.json", pytestReport})
	require.Len(t, es, 2)
	require.Equal(t, 1, rd.Skipped)
	require.Equal(t, "tests.test_cart.TestCart › test_total[a::b]", es[0].CaseID)
	require.Equal(t, `"fail"`, string(es[0].Judgment))
	require.Equal(t, "assert 3 == 4", es[0].Evidence.Failure)
	require.Equal(t, "tests.test_cart › test_login", es[1].CaseID)
	require.Equal(t, map[string]string{"one": "a.png"}, s.kept)
	_, said, _ := readAll(t, report.Pytest, report.Options{}, input{"r", pytestReport[:600]}, input{"e", "{}"},
		input{"j", "<testsuite/>"})
	require.Equal(t, []string{"r:7: the file ends in the middle of its JSON; was it cut off?",
		"e is no pytest report", "j looks like a junit report: use ingest junit"}, said)
}

// Midscene's pages contain the pictures themselves: the page after the last step is used.
func TestEvidenceOfMidscene(t *testing.T) {
	in := samples(t, report.Midscene)["asserts.html"][0] // a real page, whose pictures were taken out
	n := 0
	in.content = regexp.MustCompile(
		`(?s)(<script type="midscene-image"[^>]*>).*?</script>`,
	).ReplaceAllStringFunc(
		in.content,
		func(script string) string {
			n++
			head, _, _ := strings.Cut(script, ">")
			return head + ">\ndata:image/jpeg;base64," + base64.StdEncoding.EncodeToString(fmt.Append(nil, n)) + "\n</script>"
		},
	)
	es, s, rd := readWith(t, report.Midscene, t.TempDir(), in)
	require.NotEmpty(t, es)
	require.Empty(t, rd.Why)
	require.NotEmpty(t, s.kept)
	for _, e := range es {
		require.Len(t, e.Evidence.Pictures, 1, e.CaseID)
		require.NotEmpty(t, e.Evidence.Steps)
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))))
	old := `{"groupName":"g","executions":[{"id":"1","name":"Assert - a","tasks":[{"type":"Insight","subType":"Assert",` +
		`"status":"finished","param":{"dataDemand":"a"},"output":true,"recorder":[{"type":"screenshot","screenshot":` +
		`"data:image/png;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"}]}]}]}`
	_, s, _ = readWith(t, report.Midscene, t.TempDir(), input{"dump.json", old})
	require.Equal(t, map[string]string{b.String(): "screenshot"}, s.kept)
}

// TestScreenshotsThatAreNone: what a report calls a screenshot is read or named, whatever its name; an attachment is a
// picture by its name.
func TestScreenshotsThatAreNone(t *testing.T) {
	const xml = `<testsuite name="s3"><testcase name="t3" classname="c3"><properties>
<property name="screenshot" value="/etc/passwd"/><property name="screenshot" value="../../../etc/hostname"/>
<property name="screenshot" value="shots/plain"/><property name="attachment" value="/etc/group"/></properties>
<system-out>[[ATTACHMENT|trace.zip]]</system-out></testcase></testsuite>`
	dir := folder(t, map[string]string{"shots/plain": "one", "trace.zip": "two", "group": "three"})
	_, s, rd := readWith(t, report.JUnit, dir, input{"r.xml", xml})
	require.Equal(t, map[string]string{"one": "plain"}, s.kept)
	var named []string
	for _, why := range rd.Why {
		named = append(named, why.Picture)
		require.Contains(t, why.Problem, "is not in the folder")
	}
	require.Equal(t, []string{"/etc/passwd", "../../../etc/hostname"}, named)
}
