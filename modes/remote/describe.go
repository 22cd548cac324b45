package remote

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/slash"
)

// about describes a command in the user's language, where we speak it.
func (s *Server) about(c slash.Command) string {
	if c.Source == "builtin" && strings.HasPrefix(strings.ToLower(s.o.Language), "zh") {
		if text := chinese(c.Name); text != "" {
			return text
		}
	}
	return c.Summary
}

func chinese(name string) string {
	switch name {
	case "help":
		return "列出所有命令"
	case "new":
		return "开始新的会话，旧会话会保留"
	case "quit":
		return "关闭连接，会话会保留"
	case "reset":
		return "重新计算对话轮次，上下文保留"
	case "history":
		return "显示本次会话的消息"
	case "tools":
		return "列出模型可用的工具"
	case "config":
		return "显示设置及其来源"
	case "model":
		return "显示或选择模型"
	case "thinking":
		return "显示或选择思考强度"
	case "permissions":
		return "显示或选择哪些操作无需询问"
	case "session":
		return "显示会话文件、模型、令牌和费用"
	case "name":
		return "为会话命名"
	case "compact":
		return "用摘要替换较早的消息"
	case "export":
		return "将会话写入文件"
	case "skills":
		return "列出技能，或显示其中一个"
	case "reload":
		return "重新读取技能、模板、规则和说明"
	case "resume":
		return "返回此文件夹中较早的会话"
	}
	return ""
}
