package retrieval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// conditions are what people taught lessons for, each with tests that it is for and tests that share words, or
// characters, or a subject with it.
var conditions = []struct {
	when     string
	fits, no []string
}{
	{"a volume of a sample", []string{"Set the volume of sample S-1 to 3 ml.", "Register a sample, its volume being 5."},
		[]string{"Cancel shipment D-31 and check that its samples are Stored again.",
			"Register a new sample and check its status.", "Turn the volume of the alarm down."}},
	{"a list of vials", []string{"Open the list of vials and count them."},
		[]string{"Sort the list of users.", "Add a vial."}},
	{"zebra", []string{"Print the zebra label."},
		[]string{"Save a changed phone number of a donor and check it is kept.",
			"Check the donor's name on the printed list."}},
	{"an infusion rate", []string{"Set the infusion rate to 5."},
		[]string{"Start the infusion.", "Show the exchange rate."}},
	{"a discount code / a voucher", []string{"Enter the voucher.", "Apply discount code MAY."},
		[]string{"Enter the postal code.", "Does the discount show?"}},
	{"import of a CSV file; export to Excel", []string{"Import the CSV file.", "Export the table to Excel."},
		[]string{"Import the Excel file.", "Export the PDF file.", "Delete the file."}},
	{"the printed page", []string{"Look at the printed page."}, []string{"Go to the next page.", "Open the home page."}},
	{"tests that check a refund", []string{"Refund order 4."},
		[]string{"Test the order.", "Check the invoice of order 4."}},
	{"a user without rights", []string{"Log in as a user without rights and open the report."},
		[]string{"Create a user.", "Check the copyright line."}},
	{"the expiry date of a batch", []string{"Change the expiry date of batch 7."},
		[]string{"Change the birth date.", "Print batch 7.", "Does the session expire?"}},
	{"签收", []string{"签收 CC-19 的货物。"}, []string{"查看司机签到记录。", "导出收货清单。", "把收货人手机号改成 13800000000。",
		"校验收货时间窗口。", "签字版合同下载。", "收到短信后点击链接。"}},
	{"温度曲线/温度记录", []string{"打开 3 号车的温度曲线。", "导出温度记录。"}, []string{"设置冷库温度上限。", "温度传感器离线提示。",
		"发起车厢预冷，预冷到 4℃。", "查看司机签到记录。"}},
	{"上传照片", []string{"上传照片并保存。"}, []string{"上传回单。", "查看照片。", "拍照上传回单。"}},
	{"查看封条号时", []string{"核对封条号是否一致。"}, []string{"查看运单号。", "贴封条。"}},
	{"运单的状态", []string{"取消后看运单状态是否变化。", "运单 7 的状态是否为已签收？"}, []string{"新建运单。", "查看车辆状态。"}},
	{"登录失败", []string{"登录失败三次后锁定账号。"}, []string{"登录后退出。", "支付失败后重试。", "失败的登录任务"}},
	{"批量导入，批量导出", []string{"批量导入司机。", "批量导出运单。"}, []string{"批量删除运单。", "导入一个司机。"}},
	{"涉及金额的用例", []string{"核对金额。"}, []string{"核对数量。", "查看用例列表。"}},
	{"CSV 导出", []string{"导出 CSV 文件。"}, []string{"导出 PDF 文件。", "上传 CSV 文件。"}},
	{"冷链温度上限", []string{"把冷链温度上限改为 8。"}, []string{"冷库的温度。", "库存上限。", "温度上限提示音。"}},
}

// What a person taught is given before the tests that its conditions name, and before no other test of all these.
func TestConditionsCallForLessons(t *testing.T) {
	var others []string
	for _, c := range conditions {
		others = append(others, c.no...)
	}
	for _, c := range conditions {
		ix := byWords(t, taught("e_own", "Read what is shown to its end, and compare it with the order.", c.when),
			aCase("Enter the address of a donor and save it."))
		for _, test := range c.fits {
			require.Contains(t, ids(ask(t, ix, Query{Prompt: test}).Hits), "e_own", "%q before %q", c.when, test)
		}
		for _, test := range c.no {
			require.NotContains(t, ids(ask(t, ix, Query{Prompt: test}).Hits), "e_own", "%q before %q", c.when, test)
		}
		given := 0
		for _, test := range others {
			given += len(ask(t, ix, Query{Prompt: test}).Hits)
		}
		require.Zero(t, given, "%q before tests of others", c.when)
	}
}

// Lessons for this very test come first, all of them, whatever places there are.
func TestLessonsForThisTestComeFirst(t *testing.T) {
	ix := indexOf(t,
		taught("e_1", "Read the unit of the rate.", "a first thing", forTests("T1")),
		taught("e_2", "Wait for the alarm to end.", "a second thing", forTests("T1")),
		taught("e_3", "Count the bags on the stand.", "a third thing", forTests("t1")),
		taught("e_4", "Open the log of the nurse.", "a fourth thing", forTests("T1")),
		taught("e_5", "Look at the seal of the bag.", "pump", forTests("T2")),
		aCase("Start the pump and look at its rate."))
	hits := ids(ask(t, ix, Query{Prompt: "Start the pump.", Names: []string{"T1"}}).Hits)
	require.Len(t, hits, 4)
	require.ElementsMatch(t, []string{"e_1", "e_2", "e_3", "e_4"}, hits)
	require.Len(t, ids(ask(t, ix, Query{Prompt: "Start the pump.", Scope: scopeOf("T2")}).Hits[:1]), 1)
}

// A lesson of one product is for a question without one only where no memory names another product.
func TestLessonOfAProductAsksForIt(t *testing.T) {
	own := taught("e_own", "Compare the unit with the order.", "the infusion rate is set", ofProduct("pump"))
	q := Query{Prompt: "Set the infusion rate to 5"}
	require.Len(t, ask(t, indexOf(t, own, aCase("Sort the list", ofProduct("pump"))), q).Hits, 1)
	ix := indexOf(t, own, aCase("Sort the list", ofProduct("shop")))
	require.Empty(t, ask(t, ix, q).Hits)
	q.Scope.Product = "pump"
	require.Len(t, ask(t, ix, q).Hits, 1)
}
