package visitor

import (
	"cmp"
	"strconv"
	"strings"
)

// appDevice is what an app says about its device in its part of the user agent. Each app has its own form, for example
//
//	[FBAN/FBIOS;FBAV/540.0;FBDV/iPhone17,1;FBMD/iPhone;FBSN/iOS;FBSV/26.2]
//	Instagram 410.0.0.20.70 (iPhone17,1; iOS 26_2; en_US)
//	Instagram 416.0.0.47.66 Android (36/16; 306dpi; 1008x2244; Google/google; Pixel 9 Pro XL)
//	Telegram-Android/12.4.1 (Xiaomi 2405CRPFDG; Android 15; SDK 35; HIGH)
//	Pinterest for iOS/12.3 (iPad11,6; 17.2)
//
// The other parts of the user agent may hide these facts: WebKit reports a frozen version of iOS, and Chrome on Android
// reports the model K.
type appDevice struct {
	os, version, brand, model string
	text                      string // the part of the user agent that was read
}

func appDeviceOf(ua string) appDevice {
	if i := strings.Index(ua, "FBAN/"); i >= 0 {
		return facebookDevice(ua[i:])
	}
	for unread := ua; ; {
		before, after, found := strings.Cut(unread, "(")
		if !found {
			return twitterDevice(ua)
		}
		group, _, _ := strings.Cut(after, ")")
		if d := groupDevice(strings.TrimRight(before, " "), group); d.os != "" {
			d.text = group
			return d
		}
		unread = after
	}
}

// facebookDevice reads the fields of Facebook, Messenger and their lite versions, such as FBDV for the device.
func facebookDevice(text string) appDevice {
	text, _, _ = strings.Cut(text, "]")
	d := appDevice{text: text}
	for field := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "/")
		value = strings.TrimSpace(value)
		switch name {
		case "FBAN":
			d.os = facebookApps[value]
		case "FBSN":
			if value == "iOS" || value == "iPadOS" || value == "iPhone OS" {
				d.os = "iOS"
			}
		case "FBPN":
			d.os = "Android"
		case "FBSV":
			d.version = versionAt(value)
		case "FBDV":
			d.model = value
		case "FBMF":
			d.brand = value
		}
	}
	return d
}

// facebookApps maps a name in FBAN to the system on which the app runs.
var facebookApps = map[string]string{
	"FBIOS": "iOS", "MessengerForiOS": "iOS", "MessengerLiteForiOS": "iOS", "mLite": "iOS",
	"FB4A": "Android", "Orca-Android": "Android", "MessengerLite": "Android", "EMA": "Android",
}

// groupDevice reads a text in parentheses (group). Its first argument is the text in front of the parentheses, such as the name of an
// app.
func groupDevice(before, group string) appDevice {
	first, second, rest := appFields(group)
	switch {
	case first == "Linux": // the browser's description
	case strings.HasSuffix(before, "Android") && strings.Contains(first, "/"): // first is the API level and the version, such as 36/16
		_, version, _ := strings.Cut(first, "/")
		maker, model, _ := appFields(rest)
		maker, _, _ = strings.Cut(maker, "/")
		return appDevice{os: "Android", version: versionAt(version), brand: maker, model: model}
	case strings.Contains(first, "__os"): // Weibo: iPhone17,1__weibo__15.4.1__iphone__os18.5
		_, version, _ := strings.Cut(first, "__os")
		return appDevice{os: "iOS", version: versionAt(version)}
	case isApple(first):
		for _, name := range []string{"iOS ", "iPadOS ", "iPhone OS "} {
			if version, found := strings.CutPrefix(second, name); found {
				return appDevice{os: "iOS", version: versionAt(version)}
			}
		}
		if version := versionAt(second); version != "" && strings.Contains(first, ",") {
			return appDevice{os: "iOS", version: version}
		}
	case strings.HasPrefix(second, "Android "):
		d := appDevice{os: "Android", version: versionAt(second[len("Android "):]), model: first}
		if maker, model, found := strings.Cut(first, " "); found && strings.Contains(before, "Telegram-Android/") {
			d.brand, d.model = maker, model
		}
		return d
	case strings.HasPrefix(before, "Pinterest for Android"):
		return appDevice{os: "Android", version: versionAt(second), model: first}
	}
	return appDevice{}
}

// appFields splits off the first two fields of a list. rest begins with the fourth field, because the third is the screen in
// Instagram's form.
func appFields(list string) (first, second, rest string) {
	first, list, _ = strings.Cut(list, ";")
	second, list, _ = strings.Cut(list, ";")
	_, rest, _ = strings.Cut(list, ";")
	return strings.TrimSpace(first), strings.TrimSpace(second), rest
}

func isApple(name string) bool {
	return strings.HasPrefix(name, "iPhone") || strings.HasPrefix(name, "iPad") || strings.HasPrefix(name, "iPod")
}

// twitterDevice reads a user agent such as "TwitterAndroid/10.48.0-release.0 (310480000-r-0) Pixel 7/14 (Google;Pixel 7;...)".
func twitterDevice(ua string) appDevice {
	text, found := strings.CutPrefix(ua, "TwitterAndroid/")
	if !found {
		return appDevice{}
	}
	_, text, _ = strings.Cut(text, ") ")
	text, maker, _ := strings.Cut(text, " (")
	end := strings.LastIndexByte(text, '/')
	if end < 0 {
		return appDevice{}
	}
	maker, _, _ = strings.Cut(maker, ";")
	return appDevice{os: "Android", version: versionAt(text[end+1:]), brand: maker, model: text[:end], text: text}
}

func applyAppDevice(ua string, a *agent) {
	d := appDeviceOf(ua)
	if d.os == "" && a.os == "" {
		d = darwinDevice(ua)
	}
	if a.os == "" {
		a.os = d.os
	}
	if d.os == "" || d.os != a.os {
		return
	}
	a.osVersion = cmp.Or(d.version, a.osVersion)
	if d.os == "Android" && d.model != "" && (a.model == "" || !strings.HasPrefix(ua, "Mozilla/")) {
		a.model = clean(d.model, MaxText)
		a.brand = cmp.Or(brandOf(a.model), makerOf(clean(d.brand, MaxText)))
	}
}

// darwinDevice reads a user agent such as "TikTok/131012 CFNetwork/978.0.7 Darwin/18.7.0", which apps on iOS send. Up to Darwin 24,
// the major version of Darwin is six higher than the one of iOS. From Darwin 25 on, it is one lower. From Darwin 21 on, the minor
// versions are the same.
func darwinDevice(ua string) appDevice {
	const lastOld, oldDistance, sameMinors = 24, 6, 21
	darwin := versionAt(textAfter(ua, " Darwin/"))
	major := leadingInt(darwin)
	if major <= oldDistance || strings.Contains(ua, "x86_64") {
		return appDevice{}
	}
	_, minor, _ := strings.Cut(darwin, ".")
	version := major + 1
	if major <= lastOld {
		version = major - oldDistance
	}
	d := appDevice{os: "iOS", version: strconv.Itoa(version)}
	if major >= sameMinors {
		d.version += "." + strconv.Itoa(leadingInt(minor))
	}
	return d
}

// makerOf returns our name of a maker that an app names in its own spelling.
func makerOf(name string) string {
	for _, b := range brandPrefixes {
		if strings.EqualFold(b.brand, name) {
			return b.brand
		}
	}
	if name == "LGE" {
		return "LG"
	}
	return name
}

// frozenSystems lists the versions of iOS that WebKit reports for every version since iOS 26.
var frozenSystems = []string{"18.6", "18.7"}

// appleBuilds gives the major version of iOS by the number with which its builds begin, from iOS 26 on.
var appleBuilds = map[string]string{"23": "26", "24": "27"}

// realVersion returns the true version of iOS where the user agent has a frozen one. Safari and browsers made from it state the
// true version as their own version. Some apps state the build of the system, such as 23C55 for 26.2.
func realVersion(ua, frozen string) string {
	const first = 26
	if v := versionAt(textAfter(ua, "Version/")); leadingInt(v) >= first {
		return v
	}
	build := textAfter(ua, "Mobile/")
	if len(build) < 3 {
		return frozen
	}
	major, minor := appleBuilds[build[:2]], build[2]
	if major == "" || minor < 'A' || minor > 'Z' {
		return frozen
	}
	return major + "." + string('0'+minor-'A')
}
