package reports

import (
	"encoding/json"
	"fmt"
	"strings"
)

func quoted(s string) string {
	b, _ := json.Marshal(s) //nolint:errchkjson // a string
	return string(b)
}

// The shapes are those of the samples in ingest/report/testdata, at their usual lengths.
var (
	junitShape = shape{begin: `<?xml version="1.0"?><testsuites><testsuite name="shop" timestamp="2026-01-28T09:00:00">`,
		end: "</testsuite></testsuites>", between: "\n", unit: func(g *generator) string {
			g.n++
			name := fmt.Sprintf("test_%d_%s", g.n, g.text(4))
			if g.fails() {
				return fmt.Sprintf(`<testcase classname="shop.Cart" name="%s" time="0.1">`+
					`<failure message="%s">%s</failure></testcase>`, name, g.text(6), g.text(120))
			}
			return fmt.Sprintf(`<testcase classname="shop.Cart" name="%s" time="0.1"></testcase>`, name)
		}}

	playwrightShape = shape{begin: `{"config":{},"suites":[`, end: `],"errors":[],"stats":{}}`, between: ",\n",
		unit: func(g *generator) string {
			specs := make([]string, 20)
			for i := range specs {
				g.n++
				status, why := "expected", ""
				if g.fails() {
					status, why = "unexpected", `{"message":`+quoted(g.text(60))+`}`
				}
				specs[i] = fmt.Sprintf(`{"title":%s,"ok":true,"tags":[],"tests":[{"timeout":500,"annotations":[],`+
					`"expectedStatus":"passed","projectName":"chromium","results":[{"workerIndex":0,"status":"passed","errors":[%s],`+
					`"stdout":[{"text":%s}],"retry":0,"startTime":%q,"attachments":[]}],"status":%q}],"id":"%x-%d"}`,
					quoted(fmt.Sprint(g.n, " ", g.text(5))), why, quoted(g.text(40)), g.at().Format("2006-01-02T15:04:05.000Z"),
					status, g.n, g.n)
			}
			return fmt.Sprintf(`{"title":"cart-%d.spec.ts","file":"x","specs":[%s]}`, g.n, strings.Join(specs, ","))
		}}

	midsceneShape = shape{begin: "<!doctype html><html><title>Report - Midscene.js</title><script>" +
		strings.Repeat("var app=1;", 300_000) + "</script>\n", end: "</html>", between: "\n",
		unit: func(g *generator) string {
			g.n++
			return fmt.Sprintf(`<script type="midscene_web_dump" type="application/json">`+
				`{"groupName":"g%d","executions":[{"id":"e%d",`+
				`"logTime":%d,"name":%s,"tasks":[{"type":"Insight","subType":"Assert","status":"finished",`+
				`"param":{"dataDemand":{"result":%s}},"recorder":[{"screenshot":"data:image/jpeg;base64,%s"}],`+
				`"output":%t,"thought":%s}]}]}</script>`, g.n, g.n, g.at().UnixMilli(), quoted(g.text(4)), quoted(g.text(12)),
				strings.Repeat("A", 20_000+g.r.IntN(60_000)), !g.fails(), quoted(g.text(10)))
		}}

	promptfooShape = shape{begin: `{"evalId":"eval-1","results":{"version":3,"results":[`, end: `]}}`, between: ",\n",
		unit: func(g *generator) string {
			g.n++
			return fmt.Sprintf(`{"id":"%x-%d","prompt":{"raw":%s,"label":"x"},"provider":{"id":"echo"},`+
				`"response":{"output":%s},`+
				`"success":%t,"failureReason":0,"testCase":{"description":%s,"vars":{"page":%s}},"gradingResult":{"pass":true,`+
				`"reason":"x","componentResults":[{"pass":%t,"reason":%s,"assertion":{"type":"llm-rubric","value":%s}}]}}`,
				g.n, g.n, quoted(g.text(60)), quoted(g.text(60)), true, quoted(g.text(4)), quoted(g.text(30)), !g.fails(),
				quoted(g.text(20)), quoted(g.text(12)))
		}}

	inspectShape = shape{begin: `{"version":2,"status":"success","eval":{"eval_id":"e1","task":"shop","model":"m"},` +
		`"samples":[`, end: `]}`, between: ",\n", unit: inspectSample}

	deepevalShape = shape{begin: `{"testCases":[`, end: `],"metricsScores":[]}`, between: ",\n",
		unit: func(g *generator) string {
			g.n++
			return fmt.Sprintf(`{"name":"case %d","input":%s,"actualOutput":%s,"expectedOutput":%s,"success":true,`+
				`"metricsData":[`+
				`{"name":"Correctness [GEval]","threshold":0.5,"success":%t,"score":1,"reason":%s,"evaluationModel":"m"}]}`, g.n,
				quoted(g.text(30)), quoted(g.text(30)), quoted(g.text(30)), !g.fails(), quoted(g.text(20)))
		}}

	csvShape = shape{begin: "id,prompt,judgment,ground_truth,reason,at\r\n", unit: func(g *generator) string {
		g.n++
		return fmt.Sprintf("row-%d,%s,pass,,%s,%s\r\n", g.n, g.text(20), g.text(8), g.at().Format("2006-01-02 15:04:05"))
	}}

	mapShape = shape{unit: func(g *generator) string {
		g.n++
		return fmt.Sprintf(`{"uid":%d,"title":%s,"outcome":{"status":"pass","log":%s}}`+"\n", g.n, quoted(g.text(12)),
			quoted(g.text(40)))
	}}
)

func inspectSample(g *generator) string {
	g.n++
	value := "C"
	if g.fails() {
		value = "I"
	}
	return fmt.Sprintf(`{"id":"s%d","epoch":1,"input":%s,"target":%s,"messages":[{"role":"user","content":%s}],`+
		`"output":{"completion":%s},"scores":{"match":{"value":%q,"answer":"x","explanation":%s}},"events":[{"text":%s}]}`,
		g.n, quoted(g.text(30)), quoted(g.text(3)), quoted(g.text(60)), quoted(g.text(30)), value, quoted(g.text(20)),
		quoted(g.text(300)))
}

func allureResult(g *generator) (name, content string) {
	g.n++
	status := "passed"
	if g.fails() {
		status = "failed"
	}
	return fmt.Sprintf("%08x-result.json", g.n), fmt.Sprintf(`{"uuid":"u%d","historyId":"h%d","name":%s,`+
		`"fullName":"shop.Cart#t%d","status":%q,"stage":"finished","start":%d,"statusDetails":{"message":%s,"trace":%s},`+
		`"labels":[{"name":"suite","value":"shop"}],"steps":[{"name":%s}]}`, g.n, g.n, quoted(fmt.Sprint(g.n, g.text(4))),
		g.n, status, g.at().UnixMilli(), quoted(g.text(8)), quoted(g.text(60)), quoted(g.text(60)))
}
