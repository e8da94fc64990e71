package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/text"
)

func TestPhrases(t *testing.T) {
	require.Equal(t, []string{"a rate is set", "a dose", "a bolus"}, text.Phrases("a rate is set / a dose or a bolus"))
	require.Equal(t, []string{"温度曲线", "温度记录", "导出"}, text.Phrases("温度曲线；温度记录或导出"))
	require.Empty(t, text.Phrases(" ; "))
}

func TestMentions(t *testing.T) {
	for _, x := range []struct {
		phrase, test string
		is           bool
	}{
		{"a volume of a sample", "Change the volume of sample S-4 to 2 ml.", true},
		{"a volume of a sample", "Turn the volume of the alarm down.", false},
		{"tests that check the total", "Does the total fit the lines?", true},
		{"the printed list of donors", "Print the donor list and look at its first page.", true},
		{"export the rows of a filtered list", "Filter the list, then export its rows. Log out.", true},
		{"export the rows of a filtered list", "Export the list. Filter the users. Then look at some rows.", true},
		{"export the rows of a filtered list", "Sort the list of users.", false},
		{"check", "Check the total.", true},
		{"温度曲线", "打开 3 号车的温度曲线，看最后一段。", true},
		{"温度曲线", "设置冷库温度上限。", false},
		{"查看签收照片时", "打开签收照片并放大。", true},
		{"签收照片", "拍照后签收，查看照片。", false},
		{"签收的照片", "拍照后签收，查看照片。", true},
		{"用 CSV 导入", "Import", false},
		{"stock counts in a warehouse", "Check the stock counts in the warehouse Berlin", true}, // a stem has a stem
		{"", "Anything.", false},
	} {
		require.Equal(t, x.is, text.Mentions(x.test, x.phrase), "%q in %q", x.phrase, x.test)
	}
	require.True(t, text.MightMention("拍照上传回单", "上传照片"))
	require.False(t, text.MightMention("设置冷库温度上限", "温度曲线"))
	require.True(t, text.MightMention("Upload the photo of a pallet", "a photo upload of a receipt"))
	require.False(t, text.MightMention("Upload the list", "a photo upload of a receipt"))
}

func TestFits(t *testing.T) {
	for _, x := range []struct {
		condition, test string
		is              bool
	}{
		{"a task asks for the tax on a receipt", "Check the tax on a receipt", true},
		{"a task asks for the tax on a receipt", "Verify the receipt tax", true},
		{"a task asks for the tax on a receipt", "Open the receipt and pay it", false},
		{"when a test requires the archive", "Open the archive", true},
		{"a batch task", "Start the batch import", false},
		{"a batch task", "Start the task of this batch", true},
		{"moving a message to the archive", "Archive a letter from the inbox", false},
		{"任务要求核对发票税额", "核对发票税额是否正确", true},
		{"任务要求核对发票税额", "核对发票抬头是否正确", false},
		{"核对仓库库存数量", "核对柏林仓库的库存数量是否正确", true},
		{"核对仓库库存数量", "核对订单的数量是否正确", false},
		{"任务要求", "核对订单", false},
		{"", "Anything.", false},
	} {
		require.Equal(t, x.is, text.Fits(x.test, x.condition), "%q in %q", x.condition, x.test)
	}
}
