package evolution

import (
	"sync"

	"github.com/memtree/memtree/text"
)

// plainSpeech are words about judging in general. They tell no cause from
// another, so they are neither contrast words nor proof that a lesson is about
// its cases.
const plainSpeech = `agent assistant user task test page judge judgement result results report reported reporting failure failed fail fails
pass passed passing evidence confirm confirmed confirmation show shows shown showing snapshot snapshots image images action actions
asked ask asks request requested require required requirement requirements point points key correct correctly incorrect wrong right
complete completed completion done step steps final check checked verify verified verification clear clearly explicit explicitly
indicate indicated however although therefore because instead without while since also did does not only never ever even
claim such hold really look again before after whether find found each every one make sure see state states need needed must should could would
true truth false defect missed alarm rested although none condition criterion word words sentence place contradict turn turns seen given give
information provide provided providing content display displayed based use used using perform performed process successful successfully success
future reach verdict left lacks addressed unnecessary achieved met meet due whatever worked first want may possible says suppose know please errors let now following best put among
success concern concerns arguments argument superfluous missing judgment output outputs order_of another kwargs assistance feel free particular specific specifically relevant actual actually different same other another there here this that these those any all some
many much few several more most less lot lots both either neither enough quite very too rather almost nearly
智能 能体 判断 测试 任务 页面 结果 报告 通过 失败 正确 错误 缺陷 检查 确认 显示 要求 没有 是否 已经 实际 存在 不存 依据 之前 进行 需要`

// general returns the stems of plain speech, and the Chinese bigrams as they are.
var general = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for stem := range wordsOf(plainSpeech) {
		out[stem] = true
	}
	for _, t := range text.Tokens(plainSpeech) {
		out[t] = true
	}
	return out
})
