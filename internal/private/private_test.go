package private_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/private"
)

func write(s string) string {
	p := private.NewRedaction()
	p.Read(s)
	out, _ := p.Write(s)
	return out
}

// row is a text and what is left of it; the same where want is empty.
type row struct{ name, in, want string }

// check redacts the texts of rows, and what comes of them once more, which changes nothing.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			want := r.want
			if want == "" {
				want = r.in
			}
			got := write(r.in)
			require.Equal(t, want, got)
			require.Equal(t, got, write(got), "again")
		})
	}
}

func TestNames(t *testing.T) {
	check(t, []row{
		{"told who", "You are Noah Muller, and Noah wants his money", "You are [name 1], and [name 1] wants his money"},
		{"of oneself", "I am Noah Muller. I'm Mia Li Patel", "I am [name 1]. I'm [name 2]"},
		{"an owner", "My name is Yara Kovacs; her name is Ada Lovelace", "My name is [name 1]; her name is [name 2]"},
		{"one word is no name", "You are Welcome, the name is Blue Widget", ""},
		{"titles", "Mr. O'Brien and Dr. Jean-Luc Moreau", "Mr. [name 1] and Dr. [name 2]"},
		{"title without a full stop", "Frau Anna Schmidt-Berg waits", "Frau [name 1] waits"},
		{"no title in small letters", "200 ms Timeout, and they miss Checkout", ""},
		{"particles", "Professor Ludwig van der Berg speaks", "Professor [name 1] speaks"},
		{"initials", "Mrs. Anna M. Olsson pays", "Mrs. [name 1] pays"},
		{"of somebody", "Mr. Tanaka's cart, Tanaka's total", "Mr. [name 1]'s cart, [name 1]'s total"},
		{"a part of a longer run",
			`You are Noah Muller: the "Muller Tier" field`, `You are [name 1]: the "[name 1] Tier" field`},
		{"no cue, no shape", "ask Ludwig van der Berg to pay; Press Add Product in Order History", ""},
		{"a customer", `Customer: Blue Widget, the "Customer Tier" field is missing`, ""},
		{"contractions", "Near Miss Report; You’ve Got mail; You are Let's Go", ""},
		{"another script", "You are Élodie Ångström-Łuk", "You are [name 1]"},
	})
}

func TestChineseNames(t *testing.T) {
	check(t, []row{
		{"cue and telephone", "姓名：张三，手机号13812345678", "姓名：[name 1]，手机号[phone 1]"},
		{"title", "李小明先生的订单；李小明已付款", "[name 1]先生的订单；[name 1]已付款"},
		{"two characters", "请核对欧阳泠淇女士的积分", "请核对[name 1]女士的积分"},
		{"verb", "收货人是王小二", "收货人是[name 1]"},
		{"call", "我叫赵燕，订单找不到了", "我叫[name 1]，订单找不到了"},
		{"joined by a dot", "乘客姓名为阿依古丽·买买提", "乘客姓名为[name 1]"},
		{"Latin", "联系人：Noah Muller", "联系人：[name 1]"},
		{"no cue", "李明退款失败，客户：傅小明", ""},
		{"roles", "用户为金牌会员，会员：黄金，高级经理，任课老师", ""},
		{"length of a name", "姓名：长度不限", ""},
		{"empty name", "联系人列表为空，姓名长度不限，姓名为空时提示", ""},
		{"required", "用户名、邮箱、手机号为必填；客户经理：不能为空", ""},
	})
}

func TestAddresses(t *testing.T) {
	check(t, []row{
		{"American", "Send it to 7746 Maple Drive, Suite 865, Chicago, IL 60625. Maple Drive is right.",
			"Send it to [address 1]. [address 2] is right."},
		{"no city", "at 445 Highland Lane and 12 Elm Street", "at [address 1] and [address 2]"},
		{"loose type with a city", "7 Cedar Place, Boston, MA 02110", "[address 1]"},
		{"numbered street", "221B W. 42nd Street", "[address 1]"},
		{"number and type", "101 Highway, Apt 4", "[address 1]"},
		{"French and German", "12, rue de la Paix and Hauptstraße 12a, 10115 Berlin", "[address 1] and [address 2]"},
		{"Spanish", "Calle Mayor 10, 28013 Madrid", "[address 1]"},
		{"box", "P.O. Box 4711 and Postfach 12", "[address 1] and [address 2]"},
		{"street alone", "opposite Harbour Street", "opposite [address 1]"},
		{"city and postal code", "in Seattle, WA, 98193.", "in [address 1]."},
		{"postal code", "zip code 98193, PLZ 10115", "zip code [address 1], PLZ [address 2]"},
		{"British and Canadian codes", "SW1A 1AA or K1A 0B1", "[address 1] or [address 2]"},
		{"state or id", "Order ID 20250, Boise, ID 83702", "Order ID [number 1], [address 1]"},
		{"products", "upload it to Google Drive", ""},
		{"steps", "step 2 Open List View, then Add Lane, 2 via Add", ""},
	})
}

func TestChineseAddresses(t *testing.T) {
	check(t, []row{
		{"whole", "寄到浙江省杭州市西湖区文三路478号3幢2单元501室", "寄到[address 1]"},
		{"road", "点击保存后的页面显示文三路478号", "点击保存后[address 1]"},
		{"estate", "住在锦绣小区3栋2单元501室的用户", "住在[address 1]的用户"},
		{"postal code", "邮编：310012", "邮编：[address 1]"},
		{"no address", "省市区三级联动，第2页第3行，1号按钮", ""},
	})
}

func TestNumbers(t *testing.T) {
	check(t, []row{
		{"order and account", "order #W6750959 of noah_muller_9847", "order [number 1] of [number 2]"},
		{"dots and hyphens", "user noah.muller.12 or mia-li9847", "user [number 1] or [number 2]"},
		{"bookings", "reservations (HXDUBJ and M05KNL)", "reservations ([number 1] and [number 2])"},
		{"state of a booking", "the booking FAILED. The class is bg-gray-100", ""},
		{"IBAN", "IBAN DE89 3704 0044 0532 0130 00 is invalid", "IBAN [number 1] is invalid"},
		{"card", "card 4929 0129 3456 7890 ending in 7890", "card [number 1] ending in [number 2]"},
		{"card of fifteen", "3782 822463 10005", "[number 1]"},
		{"social security", "SSN 123-45-6789", "SSN [number 1]"},
		{"hyphens", "Bestellung 302-1234567-1234567", "Bestellung [number 1]"},
		{"nine digits", "it shows 123456789 there", "it shows [number 1] there"},
		{"behind a cue", "order 20250, payment 4711, invoice A-1042", "order [number 1], payment 4711, invoice [number 2]"},
		{"four digits said to be one", "account number 4711", "account number [number 1]"},
		{"UUID", "12345678-4a1b-4c2d-9e3f-123456789012", "[number 1]"},
		{"identity card", "身份证110101199003070017、11010119900307001X", "身份证[number 1]、[number 2]"},
		{"plates", "车牌京A12345，沪B·D5678学", "车牌[number 1]，[number 2]"},
		{"times and sizes", "at 2026-03-02T01:32:08Z the total was $1234567.89, ¥123456, 1920x1080 in #1a2b3c", ""},
		{"versions", "gpt-4o-2024-08-06, sha256, utf-8, 12000ms, v2.10.3, 3/4, 1-5, a 24-hour shop", ""},
		{"amounts", "金额128000元，共120000条，第1-5项，2026年2月", ""},
		{"an amount behind a cue", "order $20250 and 20250.50", ""},
		{"marks", "c_2ibgzezqls7b5vs7yxoq [redacted:email] [name 3]", ""},
	})
}

func TestPhonesAndDates(t *testing.T) {
	check(t, []row{
		{"international", "call +49 170 7654321 or (415) 555-0199", "call [phone 1] or [phone 2]"},
		{"American", "212.555.0199, 1-800-555-0199", "[phone 1], [phone 2]"},
		{"British", "020 7946 0018", "[phone 1]"},
		{"French", "06 12 34 56 78", "[phone 1]"},
		{"Chinese", "138-1234-5678，400-8001234，0571-20910206", "[phone 1]，[phone 2]，[phone 3]"},
		{"behind a cue", "Phone: 555 0199, 电话：8765432", "Phone: [phone 1], 电话：[phone 2]"},
		{"too far from the cue", "the phone is shown on the second page: 555019", ""},
		{"birth", "born 1990-03-07, shown 2024-05-24", "born [date 1], shown 2024-05-24"},
		{"day first", "She was born on 16.04.1953 in May", "She was born on [date 1] in May"},
		{"Chinese birth", "出生日期：1990年3月7日", "出生日期：[date 1]"},
		{"a day", "on 20240524 and 2024/05/24", ""},
	})
}

// TestFields: the name of a field determines the kind of its value, unless the value plainly is something else.
func TestFields(t *testing.T) {
	for _, r := range []row{
		{"name", `{"first_name":"Noah","Last-Name":"Muller"}`, `{"first_name":"[name 1]","Last-Name":"[name 2]"}`},
		{"no name", `{"full_name":"missing","username":""}`, ""},
		{"Chinese", `{"姓名":"张三","收货地址":"3栋"}`, `{"姓名":"[name 1]","收货地址":"[address 1]"}`},
		{"address", `{"city":"Springfield","zip":"60625","street":"see above"}`,
			`{"city":"[address 1]","zip":"[address 2]","street":"see above"}`},
		{"number", `{"order_id":"A-12","user_id":"new","reservation_id":"HXDUBJ"}`,
			`{"order_id":"[number 1]","user_id":"new","reservation_id":"[number 2]"}`},
		{"phone and date", `{"phone":"555 019","tel":"none","dob":"1990-03-07"}`,
			`{"phone":"[phone 1]","tel":"none","dob":"[date 1]"}`},
		{"roles", `{"customer":"Premium","recipient":"Blue Widget"}`, ""},
		{"others", `{"title":"Noah","count":3,"ok":true}`, ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			want := r.want
			if want == "" {
				want = r.in
			}
			p := private.NewRedaction()
			p.ReadJSON([]byte(r.in))
			raw, _ := p.WriteJSON([]byte(r.in))
			require.Equal(t, want, string(raw))
		})
	}
}

// TestParts: what one text of a memory introduces goes from its other texts too.
func TestParts(t *testing.T) {
	for _, r := range []struct{ name, first, then, want string }{
		{"a first name", "You are Noah Muller.", "Noah pays", "[name 1] pays"},
		{"the other order", "You are Noah Muller.", "MULLER, then Muller Noah", "MULLER, then [name 1]"},
		{"a street", "Ship it to 445 Maple Drive.", "Maple Drive is closed", "[address 1] is closed"},
		{"a number", "order 20250", "20250 was lost", "[number 1] was lost"},
		{"a booking", "reservation HXDUBJ", "HXDUBJ again", "[number 1] again"},
		{"a Chinese name", "姓名：李小明", "李小明已付款", "[name 1]已付款"},
		{"nothing", "Open the page", "Noah pays", "Noah pays"},
	} {
		t.Run(r.name, func(t *testing.T) {
			p := private.NewRedaction()
			p.Read(r.first)
			p.Read(r.then)
			got, _ := p.Write(r.then)
			require.Equal(t, r.want, got)
		})
	}
}

// TestNumbering: one thing has one placeholder on a page, and counting goes on
// after those that are there.
func TestNumbering(t *testing.T) {
	p := private.NewRedaction()
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
	f.Fuzz(func(t *testing.T, s string) {
		once := write(s)
		require.Equal(t, once, write(once))
		if utf8.ValidString(s) {
			require.True(t, utf8.ValidString(once), "%q", once)
		}
		raw, err := json.Marshal(map[string]any{s: s, "first_name": []string{s}})
		require.NoError(t, err)
		p := private.NewRedaction()
		p.ReadJSON(raw)
		out, _ := p.WriteJSON(raw)
		require.True(t, json.Valid(out), "%s", out)
	})
}

// BenchmarkWrite reads and writes a page of prose, and one of what is private.
func BenchmarkWrite(b *testing.B) {
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
				write(s)
			}
		})
	}
}
