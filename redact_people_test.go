package memtree_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/memtree/memtree/tree"
)

// planted is an invented person: the text and the field of JSON that name it, and the parts that
// must not be left after redaction.
type planted struct {
	shape, text string
	field       string // "": the text is in JSON as it is
	value       string
	secret      []string
}

// people makes up persons. Names are made of syllables: no list has them.
type people struct{ *rand.Rand }

func (p people) of(list ...string) string { return list[p.IntN(len(list))] }

func (p people) digits(n int) string {
	var b strings.Builder
	b.WriteByte(byte('1' + p.IntN(9)))
	for range n - 1 {
		b.WriteByte(byte('0' + p.IntN(10)))
	}
	return b.String()
}

func (p people) letters(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte("ABCDEFGHJKLMNPRSTUVWXYZ"[p.IntN(23)])
	}
	return b.String()
}

// word makes up a word such as Vorbelkin.
func (p people) word() string {
	var b strings.Builder
	for range 3 {
		b.WriteString(p.of("v", "k", "dr", "m", "tr", "z", "l", "br", "n", "gl", "f", "q"))
		b.WriteString(p.of("a", "e", "i", "o", "u", "ou", "ei"))
	}
	b.WriteString(p.of("n", "x", "rd", "sk", "l", "m"))
	s := b.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

// hanWord makes up a word of two rare characters.
func (p people) hanWord() string {
	const rare = "鑫淼焱垚骉犇翀翙翚翥翯旻昉昕昶晗晟晞暄曦沅沚泓泠洵浥涵淇湉湜溦滢漪潇澍濯瀚瀛炘烨焓焜煊煜熠"
	list := []rune(rare)
	return string(list[p.IntN(len(list))]) + string(list[p.IntN(len(list))])
}

func (p people) hanName() string {
	return p.of("王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙", "欧阳", "司马") + p.hanWord()
}

func (p people) make() planted {
	shapes := []func() planted{
		p.english, p.english, p.english, p.address, p.address, p.order, p.account, p.phone, p.document,
		p.chinese, p.chinese, p.hanAddress, p.hanAddress, p.hanNumber, p.hanNumber,
	}
	return shapes[p.IntN(len(shapes))]()
}

func (p people) english() planted {
	first, last := p.word(), p.word()
	middle := p.of("", "", "", p.letters(1)+". ", "de la ", "van der ", "O'", "Mc", p.word()+"-", p.word()+" ")
	name := first + " " + middle + last
	form := p.of("You are %s.", "You are %s, and you want to see your cart.", "My name is %s and I cannot log in.",
		"Ask %s to approve the request.",
		"The row of %s shows no total.", "Dear %s, your order is late.", "Customer: %s", "Mr. %s signs in.",
		"The contract was signed by %s yesterday.",
		"Search for \"%s\" and open the first result.", "Dr. %s is on the list of members.", "Log in as %s and open the cart",
		"Name: %s, paid", "Passenger %s has no seat.")
	out := planted{shape: "name", text: fmt.Sprintf(form, name), secret: []string{last, first}}
	if p.IntN(3) == 0 {
		out.field, out.value, out.shape = p.of("first_name", "lastName", "full_name", "recipient"), p.of(first, last),
			"name field"
	}
	return out
}

func (p people) address() planted {
	street := p.word()
	secret := []string{street}
	var s string
	switch p.IntN(11) {
	case 0:
		s = fmt.Sprintf("%s %s %s", p.digits(4), street,
			p.of("Street", "Drive", "Ave", "Rd.", "Court", "Boulevard", "Lane", "Way", "Place", "Terrace"))
	case 1:
		s = fmt.Sprintf("%s %s %s, %s %s, %s, TX %s", p.digits(3), street, p.of("St", "Dr", "Blvd", "Parkway"),
			p.of("Apt", "Suite", "Unit"), p.digits(3), p.word(), p.digits(5))
	case 2:
		s = fmt.Sprintf("%s %s %s, %s, %s%s %s%s", p.digits(2), street, p.of("Road", "Close", "Gardens"), p.word(),
			p.of("N", "SW", "M"), p.digits(1), p.digits(1), p.of("AB", "XY"))
	case 3:
		s = fmt.Sprintf("%sstraße %s, %s %s", street, p.digits(2), p.digits(5), p.word())
	case 4:
		s = fmt.Sprintf("%s, rue de %s, 75002 Paris", p.digits(2), street)
	case 5:
		s = fmt.Sprintf("%s %s %s", p.of("Calle", "Via", "Avenida", "Rua"), street, p.digits(2))
	case 6:
		box := p.digits(5)
		s, secret = "P.O. Box "+box, []string{box}
	case 7:
		s = fmt.Sprintf("%s %s", street, p.of("Street", "Avenue", "Lane", "Road"))
	case 8:
		zip := p.digits(5)
		s, secret = fmt.Sprintf("%s, WA %s", street, zip), []string{street, zip}
	case 9:
		zip := p.digits(5)
		s, secret = "zip code "+zip, []string{zip}
	default:
		s = fmt.Sprintf("%s %s %s", street, p.word(), p.of("Drive", "Square", "Circle"))
	}
	form := p.of("Ship it to %s.", "The address %s is shown twice.", "You live at %s and want a refund.", "Deliver to: %s",
		"the form says %s")
	out := planted{shape: "address", text: fmt.Sprintf(form, s), secret: secret}
	if len(secret) == 1 && secret[0] == street && p.IntN(3) == 0 {
		out.field, out.value = p.of("address1", "street", "streetAddress", "shipping_address"), s
	}
	return out
}

func (p people) order() planted {
	id := p.of("#W"+p.digits(7), "ORD-"+p.digits(6), "INV-2026-"+p.digits(6), p.digits(3)+"-"+p.digits(7)+"-"+p.digits(7),
		p.digits(10), p.letters(2)+p.digits(7),
		"#"+p.digits(8), fmt.Sprintf("%08x-4a1b-4c2d-9e3f-%s", p.Uint32(), p.digits(12)))
	return planted{shape: "order", text: fmt.Sprintf(p.of("Cancel order %s.", "Your order %s is pending",
		"Refund %s to the card", "order no. %s was lost"), id), field: p.of("", "order_id"), value: id, secret: []string{id}}
}

func (p people) account() planted {
	a, b := strings.ToLower(p.word()), strings.ToLower(p.word())
	id := p.of(a+"_"+b+"_"+p.digits(4), a+"."+b+"."+p.digits(4), a+"-"+b+p.digits(4), a+p.digits(3), a+"_"+p.digits(6))
	if strings.Contains(id, "_") || strings.Contains(id, ".") || strings.Contains(id, "-") {
		return planted{shape: "user id", text: fmt.Sprintf(p.of("You are %s.", "user id %s",
			"Sign in as %s and open the cart", "the account of %s is locked"), id), field: p.of("", "user_id"), value: id,
			secret: []string{id}}
	}
	return planted{shape: "user name", text: fmt.Sprintf(p.of("username: %s", "user id %s", "login %s fails",
		"account %s is locked"), id), field: "user_id", value: id, secret: []string{id}}
}

func (p people) phone() planted {
	s := p.of("+1 212 "+p.digits(3)+" "+p.digits(4), "(415) "+p.digits(3)+"-"+p.digits(4),
		"212."+p.digits(3)+"."+p.digits(4), "020 "+p.digits(4)+" "+p.digits(4),
		"+49 170 "+p.digits(7), "0171-"+p.digits(7), "06 12 "+p.digits(2)+" "+p.digits(2)+" "+p.digits(2),
		"+86 138 "+p.digits(4)+" "+p.digits(4), "1-800-"+p.digits(3)+"-"+p.digits(4))
	return planted{shape: "phone", text: fmt.Sprintf(p.of("Call %s.", "the number %s is shown", "Phone: %s",
		"Text %s to confirm"), s), field: p.of("", "phone"), value: s, secret: []string{s}}
}

func (p people) document() planted {
	plate := p.letters(3) + p.digits(4)
	passport := p.letters(1) + p.digits(8)
	pnr := p.letters(6)
	birth := fmt.Sprintf("19%d-0%d-1%d", 50+p.IntN(49), 1+p.IntN(9), p.IntN(10))
	card, iban, ssn := fmt.Sprintf("%s %s %s %s", p.digits(4), p.digits(4), p.digits(4), p.digits(4)),
		"DE"+p.digits(2)+" "+p.digits(4)+" "+p.digits(4)+" "+p.digits(4)+" "+p.digits(4)+" "+p.digits(2),
		p.digits(3)+"-"+p.digits(2)+"-"+p.digits(4)
	mail := strings.ToLower(p.word()) + "@example.org"
	list := []planted{
		{text: "license plate " + plate, field: "license_plate", value: plate, secret: []string{plate}},
		{text: "passport number " + passport + " is rejected", secret: []string{passport}},
		{text: "cancel reservation " + pnr + " now", field: "reservation_id", value: pnr, secret: []string{pnr}},
		{text: "She was born on " + birth + " in May", field: "dob", value: birth, secret: []string{birth}},
		{text: "pay with " + card, secret: []string{card}}, {text: "to " + iban, secret: []string{iban}},
		{text: "SSN " + ssn, secret: []string{ssn}},
		{text: "write to " + mail + " first", secret: []string{mail}},
	}
	out := list[p.IntN(len(list))]
	out.shape = "document"
	return out
}

func (p people) chinese() planted {
	name := p.hanName()
	if p.IntN(10) == 0 {
		name = "阿依" + p.hanWord() + "·买买" + p.hanWord()
	}
	form := p.of("姓名：%s", "联系人：%s，请核对", "收货人是%s", "收货人%s的订单没有显示", "%s先生的预订未显示", "请核对%s女士的积分", "乘客姓名为%s", "客户“%s”的合计不对",
		"持卡人：%s", "患者%s，已挂号", "我叫%s，订单找不到了")
	if strings.Contains(name, "·") && strings.HasPrefix(form, "%s") ||
		strings.Contains(name, "·") && strings.Contains(form, "女士") {
		form = "姓名：%s"
	}
	out := planted{shape: "zh name " + form, text: fmt.Sprintf(form, name),
		secret: []string{name, string([]rune(name)[len([]rune(name))-2:])}}
	if p.IntN(3) == 0 {
		out.field, out.value = p.of("姓名", "联系人", "full_name", "收货人"), name
	}
	return out
}

func (p people) hanAddress() planted {
	road, city, area := p.hanWord(), p.hanWord(), p.hanWord()
	s := p.of(fmt.Sprintf("浙江省%s市%s区%s路%s号", city, area, road, p.digits(3)),
		fmt.Sprintf("%s市%s区%s街道%s大道%s号%s幢%s室", city, area, p.hanWord(), road, p.digits(2), p.digits(1), p.digits(3)),
		fmt.Sprintf("%s小区%s栋%s单元%s室", road, p.digits(1), p.digits(1), p.digits(3)), fmt.Sprintf("%s县%s镇%s村%s号", city, area,
			road, p.digits(2)), fmt.Sprintf("%s路%s弄%s号", road, p.digits(3), p.digits(2)),
		fmt.Sprintf("%s大厦B座%s室", road, p.digits(4)), fmt.Sprintf("上海市%s区%s东路%s号", area, road, p.digits(4)))
	form := p.of("收货地址：%s", "送到%s，谢谢", "地址显示为%s", "住在%s的用户看不到配送时间", "%s无法配送")
	out := planted{shape: "zh address", text: fmt.Sprintf(form, s), secret: []string{road}}
	if p.IntN(3) == 0 {
		out.field, out.value = p.of("地址", "收货地址", "address"), s
	}
	return out
}

func (p people) hanNumber() planted {
	mobile := "1" + p.of("3", "5", "7", "8", "9") + p.digits(9)
	id := p.digits(6) + "19900307" + p.digits(3) + p.of("X", "x", "4")
	plate := p.of("浙", "沪", "粤", "京") + p.letters(1) + p.of("", "·") + p.digits(5)
	order, member, birth, zip := p.digits(12), "VIP"+p.digits(5),
		fmt.Sprintf("19%d年%d月%d日", 50+p.IntN(49), 1+p.IntN(9), 10+p.IntN(9)), p.digits(6)
	spaced := mobile[:3] + "-" + mobile[3:7] + "-" + mobile[7:]
	land := "0571-" + p.digits(8)
	list := []planted{
		{text: "手机号" + mobile + "收不到验证码", field: "手机号", value: mobile, secret: []string{mobile}},
		{text: "请拨打" + spaced, secret: []string{spaced}}, {text: "电话：" + land, secret: []string{land}},
		{text: "身份证号：" + id, field: "身份证号", value: id, secret: []string{id}},
		{text: "车牌" + plate + "未识别", secret: []string{plate[3:]}}, {text: "订单号：" + order, secret: []string{order}},
		{text: "会员号" + member + "的积分不对", secret: []string{member}}, {text: "出生日期：" + birth, secret: []string{birth}},
		{text: "邮编：" + zip, secret: []string{zip}},
		{text: "银行卡6222 " + mobile[:4] + " " + mobile[4:8] + " " + zip[:4], secret: []string{mobile[:4] + " " + mobile[4:8]}},
	}
	out := list[p.IntN(len(list))]
	out.shape = "zh number"
	return out
}

// run returns a judged run that names a planted person in every field that can.
func (x *planted) run(i int) tree.Evaluation {
	said := map[string]any{"verdict": "pass", "note": x.text}
	truth := map[string]any{"verdict": "fail", "expected": []string{x.text}}
	if x.field != "" {
		said[x.field], truth[x.field] = x.value, []string{x.value}
	}
	judgment, _ := json.Marshal(said)
	want, _ := json.Marshal(truth)
	return tree.Evaluation{
		ID: fmt.Sprint("p", i), RunID: "night", CaseID: fmt.Sprint("case-", i),
		Scene:  tree.Scene{ID: fmt.Sprint("s", i), Route: "/cart"},
		Prompt: "Check the cart and its total. " + x.text + " 检查购物车的合计。", Judgment: judgment, GroundTruth: want,
		Reason: "The agent did not add the lines up: " + x.text, At: time.Date(2026, 1, 5, 9, 0, i, 0, time.UTC),
	}
}
