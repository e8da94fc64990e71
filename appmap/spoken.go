package appmap

// roles are what people call the roles of ARIA, in both languages.
var roles = map[string]string{
	"button": "button 按钮", "link": "link 链接", "textbox": "field input box text area 输入框 文本框",
	"searchbox": "search field box 搜索框", "checkbox": "checkbox tick box 复选框 勾选", "radio": "radio option 单选",
	"combobox": "dropdown select list 下拉框 选择框", "option": "option choice 选项", "listbox": "list 列表",
	"switch": "switch toggle 开关", "slider": "slider 滑块", "spinbutton": "number field stepper 数字框",
	"tab": "tab 标签页 选项卡", "tablist": "tabs 标签页", "menu": "menu 菜单", "menuitem": "menu item 菜单项",
	"dialog":       "dialog modal popup 对话框 弹窗",
	"columnheader": "column header sort 列 表头 列标题 排序",
	"rowheader":    "row header 行 表头", "gridcell": "cell day date 单元格 日期", "treeitem": "tree item node 树 节点",
	"menuitemcheckbox": "menu item 菜单项", "menuitemradio": "menu item 菜单项",
	"alert": "alert message 提示", "heading": "heading title 标题",
	"img": "image picture icon 图片 图标", "table": "table 表格", "row": "row 行", "cell": "cell 单元格",
	"navigation": "navigation 导航", "form": "form 表单", "progressbar": "progress bar 进度条", "tooltip": "tooltip 提示",
}

// icons are what people call elements that are named by a sign alone, in both languages.
var icons = map[string]string{
	"+": "increase add more plus 增加 加一", "-": "decrease reduce less minus 减少 减一",
	"−": "decrease reduce less minus 减少 减一", "×": "close remove delete 关闭 删除", "✕": "close remove delete 关闭 删除",
	"‹": "previous back earlier 上一个 往前", "<": "previous back earlier 上一个 往前", "←": "back previous 返回 上一个",
	"›": "next forward later 下一个 往后", ">": "next forward later 下一个 往后", "→": "next forward 下一个 前进",
	"☰": "menu 菜单", "⋮": "more options menu 更多 菜单", "…": "more 更多", "⚙": "settings 设置", "🔍": "search 搜索",
}

// doings are what people call the actions of test tools.
var doings = map[string]string{
	"click": "click press tap push 点击 按", "fill": "fill type enter input write 填写 输入", "type": "type enter 输入",
	"check": "check tick 勾选", "uncheck": "uncheck untick 取消勾选", "selectOption": "select choose pick 选择",
	"select": "select choose pick 选择", "hover": "hover 悬停", "press": "press key 按键", "goto": "open go visit 打开",
	"dblclick": "double click 双击", "setInputFiles": "upload file 上传",
}
