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
		{"", "Anything.", false},
	} {
		require.Equal(t, x.is, text.Mentions(x.test, x.phrase), "%q in %q", x.phrase, x.test)
	}
	require.True(t, text.MightMention("拍照上传回单", "上传照片"))
	require.False(t, text.MightMention("设置冷库温度上限", "温度曲线"))
	require.True(t, text.MightMention("Upload the photo of a pallet", "a photo upload of a receipt"))
	require.False(t, text.MightMention("Upload the list", "a photo upload of a receipt"))
}
