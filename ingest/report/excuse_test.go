package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/tree"
)

// TestExcuses: the reports' own marks and notes show which runs say nothing about their judge.
func TestExcuses(t *testing.T) {
	junit := func(body string) string {
		return `<testsuite name="s"><testcase name="a" classname="c">` + body + `</testcase></testsuite>`
	}
	spec := func(test string) string {
		return `{"suites":[{"title":"a.spec.ts","specs":[{"title":"a","tests":[{` + test + `}]}]}]}`
	}
	failing := func(message string) string {
		return spec(`"expectedStatus":"passed","status":"unexpected","results":[{"status":"failed","error":{"message":` +
			string(tree.Quote(message)) + `}}]`)
	}
	for _, c := range []struct {
		name, file string
		format     report.Format
		want       tree.Excuse
	}{
		{"passed at once", junit(""), report.JUnit, ""},
		{"failed", junit(`<failure message="expected 3, got 4"/>`), report.JUnit, ""},
		{"surefire, passed at the second attempt", junit(`<flakyFailure message="x"/>`), report.JUnit, tree.Retried},
		{"surefire, failed twice", junit(`<rerunFailure message="x"/><failure message="x"/>`), report.JUnit, ""},
		{"no network", junit(`<error message="java.net.UnknownHostException: shop"/>`), report.JUnit, tree.Environment},
		{"healed", junit(`<properties><property name="healed" value="true"/></properties>`), report.JUnit, tree.Healed},
		{"not healed", junit(`<properties><property name="healed" value="false"/></properties>`), report.JUnit, ""},
		{"its label of where it runs", junit(`<properties><property name="environment" value="staging"/></properties>`),
			report.JUnit, ""},
		{"playwright, flaky", spec(`"status":"flaky","results":[{"status":"failed"},{"status":"passed","retry":1}]`),
			report.Playwright, tree.Retried},
		{"playwright, healed", spec(`"status":"expected","annotations":[{"type":"healed"}],"results":[{"status":"passed"}]`),
			report.Playwright, tree.Healed},
		{"playwright, no server", failing("page.goto: net::ERR_CONNECTION_REFUSED at http://shop/"), report.Playwright,
			tree.Environment},
		{"a page that shows such an error", failing("expect(received).toBe(expected)\nReceived: getaddrinfo ENOTFOUND db"),
			report.Playwright, ""},
		{"设备离线", failing("设备已离线，无法继续"), report.Playwright, tree.Environment},
		{"种子数据", failing("测试数据缺失：订单 42"), report.Playwright, tree.Environment},
		{"allure, a tag", `{"uuid":"u","name":"a","status":"failed","labels":[{"name":"tag","value":"@environment"}]}`,
			report.Allure, tree.Environment},
		{"allure, flaky", `{"uuid":"u","name":"a","status":"passed","statusDetails":{"flaky":true}}`, report.Allure,
			tree.Retried},
		{"pytest, a rerun", `{"tests":[{"nodeid":"t.py::a","outcome":"rerun"}]}`, report.Pytest, tree.Retried},
		{"a table", "prompt,judgment,excuse\na,pass,healed\n", report.CSV, tree.Healed},
		{"中文表格", "提示词,判定,标记\na,失败,环境问题\n", report.CSV, tree.Environment},
		{"a word that is none", "prompt,judgment,excuse\na,pass,7/10\n", report.CSV, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			es, said, _ := readAll(t, c.format, report.Options{}, input{"f", c.file})
			require.Empty(t, said)
			require.Len(t, es, 1)
			require.Equal(t, c.want, es[0].Excuse)
		})
	}
}
