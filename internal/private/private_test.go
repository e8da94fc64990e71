package private_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/private"
)

// common are words of a tree in which no single test is the only one to say them.
func common(t testing.TB) *private.Words {
	t.Helper()
	w := private.NewWords()
	for test := range uint64(2) {
		w.Add(test, `Open the Order History page and press Add Product. Google Drive asks you to Sign In. `+
			`HTTP E1042 in Harbour Console 20250 高级 and
			"Blue Widget", Near Miss Report, Timeout, Checkout, Open List View, Add Lane, failed, email, `+
			`Premium, bg-gray-100, 黄金 任课`)
	}
	return w
}

func write(w *private.Words, s string) string {
	p := private.NewRedaction(w)
	p.Read(s)
	out, _ := p.Write(s)
	return out
}

// TestPage: what goes, and what stays.
func TestPage(t *testing.T) {
	words := common(t)
	for in, want := range map[string]string{
		// names
		"You are Noah Muller, and Noah wants his money": "You are [name 1], and [name 1] wants his money",
		"Mr. O'Brien and Dr. Jean-Luc Moreau":           "Mr. [name 1] and Dr. [name 2]",
		"ask Ludwig van der Berg to pay":                "ask [name 1] to pay",
		"姓名：张三，手机号13812345678":                          "姓名：[name 1]，手机号[phone 1]",
		"李小明先生的订单；李小明已付款":                               "[name 1]先生的订单；[name 1]已付款",
		"Press Add Product in Order History":            "Press Add Product in Order History",
		`the "Customer Tier" field is missing`:          `the "Customer Tier" field is missing`,
		`You are Noah Muller: the "Kimbo Tier" field`:   `You are [name 1]: the "Kimbo Tier" field`,
		"200 ms Timeout, and they miss Checkout":        "200 ms Timeout, and they miss Checkout",
		"Near Miss Report; You’ve Got mail":             "Near Miss Report; You’ve Got mail",
		"Name: Blue Widget. The name is Blue Widget":    "Name: Blue Widget. The name is Blue Widget",
		"用户为金牌会员，会员：黄金，高级经理，任课老师":                       "用户为金牌会员，会员：黄金，高级经理，任课老师",
		"姓名：长度不限；客户：傅小明":                                "姓名：长度不限；客户：[name 1]",
		"请核对欧阳泠淇女士的积分":                                  "请核对[name 1]女士的积分",
		"联系人列表为空，姓名长度不限，姓名为空时提示":                        "联系人列表为空，姓名长度不限，姓名为空时提示",
		"用户名、邮箱、手机号为必填；客户经理：不能为空":                       "用户名、邮箱、手机号为必填；客户经理：不能为空",
		// addresses
		"Send it to 7746 Maple Drive, Suite 865, Chicago, IL 60625. " +
			"Maple Drive is right.": "Send it to [address 1]. [address 2] is right.",
		"12, rue de la Paix and Hauptstraße 12a, 10115 Berlin": "[address 1] and [address 2]",
		"in Seattle, WA, 98193.":                               "in [address 1].",
		"寄到浙江省杭州市西湖区文三路478号3幢2单元501室":                          "寄到[address 1]",
		"upload it to Google Drive":                            "upload it to Google Drive",
		"step 2 Open List View, then Add Lane, 2 via Add":      "step 2 Open List View, then Add Lane, 2 via Add",
		"Order ID 20250, Boise, ID 83702":                      "Order ID [number 1], [address 1]",
		"点击保存后的页面显示文三路478号":                                    "点击保存后[address 1]",
		"省市区三级联动，第2页第3行，1号按钮":                                  "省市区三级联动，第2页第3行，1号按钮",
		// numbers
		"order #W6750959 of noah_muller_9847":          "order [number 1] of [number 2]",
		"reservations (HXDUBJ and M05KNL)":             "reservations ([number 1] and [number 2])",
		"reservation HXDUBJ, then M05KNL":              "reservation [number 1], then [number 2]",
		"the booking FAILED, the class is bg-gray-100": "the booking FAILED, the class is bg-gray-100",
		"IBAN DE89 3704 0044 0532 0130 00 is invalid":  "IBAN [number 1] is invalid",
		"card 4929 0129 3456 7890 ending in 7890":      "card [number 1] ending in [number 2]",
		"身份证110101199003070017、11010119900307001X":     "身份证[number 1]、[number 2]",
		"车牌京A12345，沪B·D5678学":                          "车牌[number 1]，[number 2]",
		"born 1990-03-07, shown 2024-05-24":            "born [date 1], shown 2024-05-24",
		"call +49 170 7654321 or (415) 555-0199":       "call [phone 1] or [phone 2]",
		// what is none of these
		"at 2026-03-02T01:32:08Z the total was $1234567.89, ¥123456, 1920x1080 in #1a2b3c": "" +
			"at 2026-03-02T01:32:08Z the total was $1234567.89, ¥123456, 1920x1080 in #1a2b3c",
		"gpt-4o-2024-08-06, sha256, utf-8, 12000ms, v2.10.3, 3/4, 1-5": "" +
			"gpt-4o-2024-08-06, sha256, utf-8, 12000ms, v2.10.3, 3/4, 1-5",
		"金额128000元，共120000条，第1-5项，2026年2月":                 "金额128000元，共120000条，第1-5项，2026年2月",
		"c_2ibgzezqls7b5vs7yxoq [redacted:email] [name 3]": "c_2ibgzezqls7b5vs7yxoq [redacted:email] [name 3]",
	} {
		got := write(words, in)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if again := write(words, got); again != got {
			t.Errorf("again: %s\n got %s", got, again)
		}
	}
}

// TestRare: what is only likely goes where one test says it.
func TestRare(t *testing.T) {
	words := private.NewWords()
	words.Add(1, "Ask Priya Natarajan about Harbour Console")
	words.Add(2, "Ask to open Harbour Console. Ask again")
	require.Equal(t, "Ask [name 1] about Harbour Console", write(words, "Ask Priya Natarajan about Harbour Console"))
	words.Add(2, "Priya Natarajan came")
	require.Equal(t, "Ask Priya Natarajan about Harbour Console",
		write(words, "Ask Priya Natarajan about Harbour Console"))
	require.Equal(t, "Ask Priya Natarajan", write(nil, "Ask Priya Natarajan"), "without words nothing is rare")
}

// TestNumbering: one thing has one placeholder on a page, and counting goes on
// after those that are there.
func TestNumbering(t *testing.T) {
	p := private.NewRedaction(nil)
	a := "order #W6750959 [number 4]"
	b := `{"order_id":"#W6750959","user":{"first_name":"Noah","zip":"60625"},"n":1234567890,"ok":true}`
	p.Read(a)
	p.ReadJSON([]byte(b))
	out, n := p.Write(a)
	require.Equal(t, "order [number 5] [number 4]", out)
	require.Equal(t, 1, n)
	raw, n := p.WriteJSON([]byte(b))
	require.Equal(t, `{"order_id":"[number 5]","user":{"first_name":"[name 1]","zip":"[address 1]"},`+
		`"n":"[number 6]","ok":true}`, string(raw))
	require.Equal(t, 4, n)
}

// FuzzPage: no text breaks the redactor; it finds nothing in what it wrote, and
// JSON stays JSON.
func FuzzPage(f *testing.F) {
	for _, s := range []string{
		"You are Noah Muller in 98193", "#W6750959 (415) 555-0199 +49 170 7654321",
		"姓名：张三 浙江省杭州市文三路478号 京A12345", "[name 1] [name", "DE89 3704 0044 0532 0130 00",
		"7746 Maple Drive, Suite 865, Chicago, IL 60625", "a_b_1234 a.bb.12 1-2-3-4-5-6-7-8-9-0-1-2-3-4",
		"\xff(1", "born 1990-03-07 Mr. X. Y", "路1号路1号", "1990年1月1日生日", "A" + strings.Repeat("a", 200),
		"姓名：" + strings.Repeat("王", 100), "1 " + strings.Repeat("Street", 40),
	} {
		f.Add(s)
	}
	words := private.NewWords()
	words.Add(1, "Noah Muller")
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range []*private.Words{nil, words} {
			once := write(w, s)
			require.Equal(t, once, write(w, once))
			if utf8.ValidString(s) {
				require.True(t, utf8.ValidString(once), "%q", once)
			}
		}
		raw, err := json.Marshal(map[string]any{s: s, "first_name": []string{s}})
		require.NoError(t, err)
		p := private.NewRedaction(words)
		p.ReadJSON(raw)
		out, _ := p.WriteJSON(raw)
		require.True(t, json.Valid(out), "%s", out)
	})
}

// BenchmarkWrite reads and writes a page of prose, and one of what is private.
func BenchmarkWrite(b *testing.B) {
	words := common(b)
	for name, s := range map[string]string{
		"prose": strings.Repeat("Open the Order History page, press Add Product and check that the total is right. "+
			"检查购物车页面的合计是否正确。", 10),
		"private": strings.Repeat("You are Noah Muller of 7746 Maple Drive, Suite 865, Chicago, IL 60625: "+
			"order #W6750959. 收货人：张三，文三路478号。", 10),
		"hostile": strings.Repeat("A 1 A-1 (1 +1 Mr. A路1", 50),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				write(words, s)
			}
		})
	}
}
