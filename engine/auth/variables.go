package auth

import "strings"

// Variables lists the environment variables that may hold the key of a
// provider, the one that counts first. A provider that isn't in the table has
// its id in capitals with _API_KEY.
func Variables(provider string) []string {
	switch provider {
	case "google", "gemini":
		return []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}
	case "azure":
		return []string{"AZURE_OPENAI_API_KEY"}
	case "huggingface":
		return []string{"HF_TOKEN", "HUGGINGFACE_API_KEY"}
	case "vercel":
		return []string{"AI_GATEWAY_API_KEY", "VERCEL_API_KEY"}
	case "minimax-china":
		return []string{"MINIMAX_API_KEY"}
	case "opencode-go", "opencode-zen":
		return []string{"OPENCODE_API_KEY"}
	case "scaleway":
		return []string{"SCW_SECRET_KEY"}
	case "zhipu-coding":
		return []string{"ZHIPU_API_KEY"}
	case "moonshot", "kimi":
		return []string{"MOONSHOT_API_KEY", "KIMI_API_KEY"}
	}
	return []string{strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, provider) + "_API_KEY"}
}
