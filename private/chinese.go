package private

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// surnames are the first characters of surnames: those of the Hundred Family
// Surnames (百家姓) that the Ministry of Public Security counts among the hundred
// most frequent, and of the compound ones.
var surnames = runes(`王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔
钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤
欧司上诸东皇尉公令慕宇长夏侯`)

// compound surnames have two characters.
var compound = map[string]bool{
	"欧阳": true, "司马": true, "上官": true, "诸葛": true, "东方": true, "皇甫": true, "尉迟": true, "公孙": true, "令狐": true, "慕容": true,
	"宇文": true, "长孙": true, "夏侯": true, "司徒": true, "司空": true,
}

// hanNameCues stand before a name: fields of GB/T 35273 Annex A and of the forms
// of parcels, journeys, banks and hospitals.
var hanNameCues = []string{
	"姓名", "名字", "联系人", "收货人", "收件人", "寄件人", "发件人", "持卡人", "开户人", "户名", "乘客", "乘车人", "乘机人", "旅客", "患者", "病人", "申请人", "负责人",
	"经办人", "法定代表人", "法人", "客户", "会员", "用户名称", "用户", "员工", "学生", "投保人", "被保险人", "入住人", "签收人", "买家", "卖家", "业主", "租客", "我叫", "我是", "你是", "名叫",
}

// nameCueHeads are their first characters.
var nameCueHeads = func() map[rune]bool {
	out := map[rune]bool{}
	for _, cue := range hanNameCues {
		r, _ := utf8.DecodeRuneInString(cue)
		out[r] = true
	}
	return out
}()

// hanTitles stand behind a surname or a name.
var hanTitles = []string{"先生", "女士", "小姐", "太太", "老师", "医生", "经理", "教授", "师傅", "同学"}

// plates of vehicles (GA 36): province, authority, five or six characters.
var plate = lazy(`^[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][ ·•]?[A-HJ-NP-Z0-9]{4,5}[A-HJ-NP-Z0-9学警港澳挂领]`)

// An address by the elements of GB/T 23705: administrative areas, a road or an
// estate, and the numbers of gate, building, unit and room.
var (
	hanGate = lazy(`^(?:路|街|道|巷|弄|胡同|里|村|苑|园|庄|区|厦|寓|城|号楼)[东西南北中]?[段路]?(?:[0-9０-９]+|[一二三四五六七八九十百]+)(?:号院|号楼|号|弄|栋|幢|座|单元)(?:[A-Za-z0-9０-９一二三四五六七八九十\-]{1,6}(?:号楼|号|栋|幢|座|单元|室|楼|层|户|弄))*[0-9]{0,4}`)
	hanRoom = lazy(`^(?:[A-Za-z0-9０-９一二三四五六七八九十]{1,4}(?:号楼|栋|幢|座|期|单元|号|楼|层)){1,4}[A-Za-z0-9０-９\-]{1,6}(?:室|户|房|号)`)
	hanArea = lazy(`^\p{Han}{2,7}(?:省|自治区)\p{Han}{2,7}(?:市|州|盟|地区)(?:\p{Han}{1,6}(?:区|县|旗|市))?|^\p{Han}{2,5}市\p{Han}{2,5}(?:区|县|镇)`)
)

// breaks end, before an address, what is not part of it.
const breaks = "在到至住于是为址往送寄达了，"

// han looks at one Chinese character.
func (f *finder) han(i int, r rune, size int) int {
	if strings.ContainsRune("手电座传联出生邮订单编账帐卡会工学护驾证身车用尾微预确", r) {
		for _, c := range hanCues {
			if strings.HasPrefix(f.s[i:], c.word) {
				f.hanCue(c.cue, i+len(c.word))
				break
			}
		}
	}
	if nameCueHeads[r] {
		if to := f.hanCalled(i); to > 0 {
			return to
		}
	}
	if isPlate := i+size < len(f.s) && f.s[i+size] >= 'A' && f.s[i+size] <= 'Z'; isPlate {
		if loc := plate().FindStringIndex(f.ahead(i)); loc != nil && countDigits(f.s[i:i+loc[1]]) > 0 {
			return f.add(i, i+loc[1], Number)
		}
	}
	if surnames[r] {
		if to := f.hanTitled(i); to > 0 {
			return to
		}
	}
	if strings.ContainsRune("路街道巷弄胡里村苑园庄区厦寓城号", r) {
		if next, _ := utf8.DecodeRuneInString(f.s[i+size:]); strings.ContainsRune("0123456789０１２３４５６７８９一二三四五六七八九十百东西南北中段路楼", next) {
			if to := f.hanAddress(i, hanGate().FindStringIndex(f.ahead(i))); to > 0 {
				return to
			}
		}
		if next := i + size; next < len(f.s) && (digit(f.s[next]) || f.s[next] >= 'A' && f.s[next] <= 'Z') {
			if loc := hanRoom().FindStringIndex(f.ahead(next)); loc != nil {
				return f.hanAddress(i, []int{0, size + loc[1]})
			}
		}
	}
	if (r == '省' || r == '市') && f.page.words != nil {
		if from := f.hanStart(i); from < i {
			if loc := hanArea().FindStringIndex(f.ahead(from)); loc != nil && from+loc[1] > i && f.page.rare(f.s[from:from+loc[1]]) && f.after(f.hanPlace(from), from) {
				return f.add(from, from+loc[1], Address)
			}
		}
	}
	return i + size
}

// hanPlace returns where a word for an address ended before from.
func (f *finder) hanPlace(from int) int {
	before := f.s[max(0, from-4*near):from]
	for _, cue := range []string{"地址", "住址", "住在", "位于", "寄到", "送到", "籍贯", "寄往"} {
		if k := strings.LastIndex(before, cue); k >= 0 {
			return from - len(before) + k + len(cue)
		}
	}
	return -near
}

func (f *finder) hanCue(cue byte, end int) {
	switch cue {
	case 'p':
		f.phone = end
	case 'b':
		f.birth = end
		if loc := hanDate().FindStringSubmatchIndex(f.ahead(end)); loc != nil {
			f.add(end+loc[2], end+loc[3], Date)
		}
	case 'z':
		f.postal = end
	case 'n':
		f.number = end
	case 'k':
		f.number, f.booking = end, end
	}
}

var hanDate = lazy(`^[\p{Han}]{0,2}[:： ]{0,2}((?:19|20)\d\d ?年 ?\d{1,2} ?月(?: ?\d{1,2} ?日)?)`)

// hanCalled finds a name behind its cue.
func (f *finder) hanCalled(i int) int {
	for _, cue := range hanNameCues {
		if !strings.HasPrefix(f.s[i:], cue) {
			continue
		}
		at := i + len(cue)
		firm := false
		for n := 0; at < len(f.s) && n < 4; n++ {
			r, size := utf8.DecodeRuneInString(f.s[at:])
			if !strings.ContainsRune(`:：=是为叫"“'‘「『 `, r) {
				break
			}
			firm = firm || r != ' '
			at += size
		}
		if cue == "我叫" || cue == "名叫" {
			firm = true
		}
		to := f.hanName(at)
		if to == 0 {
			if cue == "姓名" || firm {
				if end, n, _ := f.run(at); n > 1 {
					return f.add(at, end, Name)
				}
			}
			continue
		}
		if firm {
			return f.add(at, to, Name)
		}
		if f.hanEnds(to) && f.page.rare(f.s[at:to]) {
			return f.add(at, to, Name)
		}
	}
	return 0
}

// hanName returns where the name at i ends, or 0: a surname and one or two
// characters more, up to what plainly is none; or parts joined by ·.
func (f *finder) hanName(i int) int {
	r, _ := utf8.DecodeRuneInString(f.s[i:])
	if !unicode.Is(unicode.Han, r) {
		return 0
	}
	if loc := dotted().FindStringIndex(f.ahead(i)); loc != nil {
		return i + loc[1]
	}
	if !surnames[r] {
		return 0
	}
	most := 3
	if two := hanEnd(f.s, i, 2); two > 0 && compound[f.s[i:two]] {
		most = 4
	}
	to := 0
	for n := 2; n <= most; n++ {
		end := hanEnd(f.s, i, n)
		if end == 0 {
			break
		}
		if last, _ := utf8.DecodeLastRuneInString(f.s[i:end]); n > 2 && strings.ContainsRune("的在和与及是已将把从向被给来去说称住有于想要需先女小老医经教同", last) {
			break
		}
		to = end
	}
	return to
}

var dotted = lazy(`^\p{Han}{2,8}[·•]\p{Han}{2,8}`)

// hanEnds reports whether what stands at i cannot go on a word that began before.
func (f *finder) hanEnds(i int) bool {
	r, _ := utf8.DecodeRuneInString(f.s[i:])
	return !unicode.Is(unicode.Han, r) || strings.ContainsRune("的在和与及是已将把从向被给来去说称住有于想要需", r)
}

// hanTitled finds a name before 先生 and the like.
func (f *finder) hanTitled(i int) int {
	most := 3
	if two := hanEnd(f.s, i, 2); two > 0 && compound[f.s[i:two]] {
		most = 4
	}
	for n := most; n >= 1; n-- {
		end := hanEnd(f.s, i, n)
		if end == 0 {
			continue
		}
		for _, t := range hanTitles {
			if strings.HasPrefix(f.s[end:], t) {
				return f.add(i, end, Name)
			}
		}
	}
	return 0
}

// hanAddress adds the address whose last road or estate stands at i, from where
// it begins.
func (f *finder) hanAddress(i int, loc []int) int {
	if loc == nil {
		return 0
	}
	from := f.hanStart(i)
	if from == i {
		return 0
	}
	to := i + loc[1]
	if more := hanRoom().FindStringIndex(f.ahead(to)); more != nil {
		to += more[1]
	}
	for len(f.out) > 0 && f.out[len(f.out)-1].from >= from { // a part of it
		f.out = f.out[:len(f.out)-1]
	}
	_, size := utf8.DecodeRuneInString(f.s[i:])
	f.out = append(f.out, find{from: from, to: to, kind: Address, street: from, streetEnd: i + size})
	return to
}

// hanStart goes back from i over Chinese characters to where an address begins.
func (f *finder) hanStart(i int) int {
	const most = 24
	from := i
	for range most {
		r, size := utf8.DecodeLastRuneInString(f.s[:from])
		if !unicode.Is(unicode.Han, r) || strings.ContainsRune(breaks, r) {
			break
		}
		from -= size
	}
	return from
}

func runes(s string) map[rune]bool {
	out := map[rune]bool{}
	for _, r := range s {
		if r != '\n' {
			out[r] = true
		}
	}
	return out
}
