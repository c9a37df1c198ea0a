package visitor

import (
	"cmp"
	"slices"
	"strings"
)

// classify describes a user agent by its markers. It goes through each table of marks once, and the first hit wins. This takes a
// few microseconds for any text. The markers alone decide all properties by which reports are grouped.
func classify(userAgent string) *agent {
	lower := strings.ToLower(userAgent)
	a := &agent{kind: kindOf(lower)}
	if a.kind != human && a.kind != headless {
		a.device = Bot // a bot's claims about its system and browser are not believed
		return a
	}
	a.os, a.osVersion = findSystem(userAgent)
	a.browser, a.browserVersion = findBrowser(userAgent, a.os)
	if a.kind == headless {
		a.device = Bot
		return a
	}
	if !strings.Contains(userAgent, "CriOS/") { // on iOS it is Safari's engine, which sends no hints
		a.chrome = leadingInt(textAfter(userAgent, "Chrome/", "Chromium/"))
	}
	a.device = deviceOf(userAgent, lower, a.os)
	a.brand, a.model = deviceName(userAgent, a)
	a.engine = engineOf(a)
	a.impossible = isImpossible(a)
	return a
}

func kindOf(lower string) kind {
	lower = strings.ReplaceAll(lower, "cubot", "") // Cubot makes phones
	for _, b := range botMarks {
		for _, mark := range b.marks {
			if mark[0] == '^' && strings.HasPrefix(lower, mark[1:]) || strings.Contains(lower, mark) {
				return b.kind
			}
		}
	}
	return human
}

func findSystem(ua string) (name, version string) {
	for _, s := range systemMarks {
		i := strings.Index(ua, s.text)
		if i < 0 {
			continue
		}
		if s.version == "" {
			return s.name, ""
		}
		version = versionAt(textAfter(ua, s.version))
		if s.name == "Windows" {
			version = cmp.Or(windowsVersions[version], version)
		}
		return s.name, version
	}
	return "", ""
}

func findBrowser(ua, os string) (name, version string) {
	for _, b := range browserMarks {
		if (b.os == "" || b.os == os) && strings.Contains(ua, b.text) {
			return b.name, versionAt(textAfter(ua, b.version...))
		}
	}
	return "", ""
}

func deviceOf(ua, lower, os string) string {
	for _, d := range deviceMarks {
		if slices.ContainsFunc(d.marks, func(mark string) bool { return strings.Contains(lower, mark) }) {
			return d.device
		}
	}
	if device := systemDevices[os]; device != "" {
		return device
	}
	mobile := strings.Contains(ua, "Mobile") || strings.Contains(ua, "Opera Mini") || strings.Contains(ua, "Opera Mobi")
	switch {
	case os == "Android" && (mobile || !strings.Contains(ua, "Mozilla/")):
		return Mobile // the client of an app reports only Android
	case os == "Android":
		return Tablet
	case mobile || strings.Contains(ua, "MIDP") || strings.Contains(ua, "UCWEB"):
		return Mobile
	case os != "":
		return Desktop
	}
	return Unknown
}

// deviceName returns the brand and model, if the user agent states them plainly.
func deviceName(ua string, a *agent) (brand, model string) {
	switch a.os {
	case "iOS", "macOS", "tvOS", "watchOS":
		for _, name := range []string{"iPhone", "iPad", "iPod", "Apple Watch", "Apple TV", "Mac"} {
			if strings.Contains(ua, name) {
				return "Apple", name
			}
		}
		return "Apple", ""
	case "Android":
		model = androidModel(ua)
		return brandOf(model), model
	}
	return "", ""
}

// androidModel reads the model from "Android 13; SM-G991B Build/..." and "Android 13; SM-G991B)". Chrome sends K in place of a
// model; it is skipped.
func androidModel(ua string) string {
	_, rest, found := strings.Cut(ua, "Android ")
	if !found {
		return ""
	}
	rest, _, _ = strings.Cut(rest, ")")
	rest, _, _ = strings.Cut(rest, " Build")
	parts := strings.Split(rest, ";")
	for _, part := range parts[1:] {
		part = strings.TrimSpace(part)
		if len(part) < 2 || part == "wv" || part == "Mobile" || part == "Tablet" || part == "TV" ||
			len(part) == 5 && part[2] == '-' || strings.HasPrefix(part, "rv:") || len(part) > MaxText {
			continue // a locale, a form factor or no name
		}
		return part
	}
	return ""
}

func brandOf(model string) string {
	for _, b := range brandPrefixes {
		if slices.ContainsFunc(b.prefixes, func(prefix string) bool { return strings.HasPrefix(model, prefix) }) {
			return b.brand
		}
	}
	return ""
}

// The oldest engine versions that are believed. No older engine is still in use, so a user agent that claims one comes from a
// script with an old list.
const (
	oldestChrome  = 30 // 2013
	oldestFirefox = 20 // 2013
	oldestMSIE    = 8  // 2009
)

// isImpossible reports whether no real browser sends this user agent.
func isImpossible(a *agent) bool {
	major := leadingInt(a.browserVersion)
	switch a.browser {
	case "Chrome":
		return major > 0 && major < oldestChrome
	case "Firefox":
		return major > 0 && major < oldestFirefox && a.os != "iOS"
	case "Internet Explorer":
		return major > 0 && major < oldestMSIE || a.os != "Windows" && a.os != "Windows Phone" && a.os != "Xbox"
	case "Safari":
		return a.os == "Android" || a.os == "Linux" && a.device == Desktop && a.chrome > 0
	case "Samsung Internet":
		return a.os == "Windows" || a.os == "macOS" || a.os == "iOS"
	}
	return false
}

// textAfter returns the text that follows the first of the marks that occurs.
func textAfter(s string, marks ...string) string {
	for _, m := range marks {
		if _, rest, found := strings.Cut(s, m); found {
			return rest
		}
	}
	return ""
}

// versionAt returns the version number at the start of a text: digits and dots, at most 24 characters. Underscores count as dots.
func versionAt(s string) string {
	end, underscores := 0, false
	for end < len(s) && end < 24 {
		c := s[end]
		if c == '_' {
			underscores = true
		} else if (c < '0' || c > '9') && c != '.' {
			break
		}
		end++
	}
	v := strings.Trim(s[:end], "._")
	if underscores {
		v = strings.ReplaceAll(v, "_", ".")
	}
	return v
}
