package visitor

import (
	"strings"
	"testing"
)

const (
	webkitMobile  = " like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	androidChrome = ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.7204.180 Mobile Safari/537.36"
	androidWeb    = "; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.7390.43 Mobile Safari/537.36"
)

// TestAppDevices: the device, its system and the app are read from the user agent of an app.
func TestAppDevices(t *testing.T) {
	t.Parallel()
	for ua, want := range map[string]string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7" + webkitMobile + "Mobile/15E148 [FBAN/FBIOS;FBAV/551.0.0.27.107;FBBV/897058033;" +
			"FBDV/iPhone17,3;FBMD/iPhone;FBSN/iOS;FBSV/26.3;FBSS/3;FBCR/;FBID/phone;FBLC/en_US;FBOP/80]": "mobile, iOS 26.3, Facebook 551.0.0.27.107, Apple iPhone",
		"Mozilla/5.0 (iPad; CPU OS 18_7" + webkitMobile + "Mobile/15E148 [FBAN/FBIOS;FBAV/570.0.0.20.108;FBBV/1017680599;" +
			"FBDV/iPad8,1;FBMD/iPad;FBSN/iPadOS;FBSV/26.5.2;FBSS/2;FBCR/;FBID/tablet;FBLC/nb_NO;FBOP/80]": "tablet, iOS 26.5.2, Facebook 570.0.0.20.108, Apple iPad",
		"[FBAN/MessengerForiOS;FBAV/252.1.0.30.119;FBBV/198832146;FBDV/iPhone9,4;FBMD/iPhone;FBSN/iOS;FBSV/13.3.1;FBSS/3]": "mobile, iOS 13.3.1, Messenger 252.1.0.30.119, Apple iPhone",
		"LightSpeed [FBAN/MessengerLiteForiOS;FBAV/270.1.0.54.119;FBDV/iPad7,5;FBMD/iPad;FBSN/iOS;FBSV/ 13.5.1;FBSS/2]":    "tablet, iOS 13.5.1, Messenger 270.1.0.54.119, Apple iPad",
		"[FBAN/FB4A;FBAV/263.0.0.46.121;FBDM/{density=2.0,width=720,height=1187};FBLC/en_US;FBCR/Metro by T-Mobile;FBMF/LGE;" +
			"FBBD/MetroPCS;FBPN/com.facebook.katana;FBDV/LGMS210;FBSV/7.0;FBCA/armeabi-v7a:armeabi;]": "mobile, Android 7.0, Facebook 263.0.0.46.121, LG LGMS210",
		"[FBAN/FB4A;FBAV/575.1.0.55.73;FBMF/samsung;FBDV/SM-X200;FBSV/14;]":                                                                 "tablet, Android 14, Facebook 575.1.0.55.73, Samsung SM-X200",
		"[FBAN/Orca-Android;FBAV/215.1.0.21.101;FBPN/com.facebook.orca;FBMF/Xiaomi;FBDV/Redmi Note 5;FBSV/8.1.0;]":                          "mobile, Android 8.1.0, Messenger 215.1.0.21.101, Xiaomi Redmi Note 5",
		"Instagram 441.0.0.29.79 (iPhone14,5; iOS 26_5_2; en_US; en; scale=3.00; 1170x2532; 1030250346) AppleWebKit/420+":                   "mobile, iOS 26.5.2, Instagram 441.0.0.29.79, Apple iPhone",
		"Instagram 415.0.0.36.76 Android (33/13; 320dpi; 720x1600; samsung; SM-A032M; a3core; m168; pt_BR; 874816631)":                      "mobile, Android 13, Instagram 415.0.0.36.76, Samsung SM-A032M",
		"Instagram 416.0.0.47.66 Android (36/16; 306dpi; 1008x2244; Google/google; Pixel 9 Pro XL; komodo; komodo; en_US; 879745420)":       "mobile, Android 16, Instagram 416.0.0.47.66, Google Pixel 9 Pro XL",
		"Barcelona 425.0.0.26.58 (iPad12,1; iPadOS 26_3_1; nl_NL; nl; scale=2.00; 750x1334; 936469872) AppleWebKit/420+":                    "tablet, iOS 26.3.1, Threads 425.0.0.26.58, Apple iPad",
		"TikTok 17.8.1 rv:178102 (iPhone; iOS 14.1; ja_JP) Cronet":                                                                          "mobile, iOS 14.1, TikTok 17.8.1, Apple iPhone",
		"com.zhiliaoapp.musically/2023203040 (Linux; U; Android 13; en_US; SM-G990U; Build/TP1A.220624.014; Cronet/TTNetVersion:e8c372ba)":  "mobile, Android 13, TikTok , Samsung SM-G990U",
		"TikTok/401012 CFNetwork/3826.500.131 Darwin/24.5.0":                                                                                "mobile, iOS 18.5, TikTok , Apple ",
		"WeChat/8.0.68.33 CFNetwork/3860.300.31 Darwin/25.2.0":                                                                              "mobile, iOS 26.2, WeChat 8.0.68.33, Apple ",
		"Snapchat/13.12.0.37 (Pixel 6 Pro; Android 12#8353555#32; gzip) V/MUSHROOM grpc-c++/1.48.0":                                         "mobile, Android 12, Snapchat 13.12.0.37, Google Pixel 6 Pro",
		"Snapchat/13.60.1.0 (like Safari/8621.3.11.10.3, panda)":                                                                            "mobile, iOS , Snapchat 13.60.1.0, Apple ",
		"Pinterest for Android/9.0.4 (K83CA; 9)":                                                                                            "mobile, Android 9, Pinterest 9.0.4,  K83CA",
		"Pinterest for Android Tablet/11.42.2 (trona; 9)":                                                                                   "tablet, Android 9, Pinterest ,  trona",
		"Pinterest for iOS/12.3 (iPad11,6; 17.2)":                                                                                           "tablet, iOS 17.2, Pinterest 12.3, Apple iPad",
		"TwitterAndroid/7.73.0-release.17 (8900198-r-17) HUAWEI VNS-L53/7.0 (HUAWEI;HUAWEI VNS-L53;HUAWEI;VNS-L53;0;;1;2013)":               "mobile, Android 7.0, Twitter 7.73.0, Huawei HUAWEI VNS-L53",
		"Line/15.0.0 iPhone16,1 iOS 18.6":                                                                                                   "mobile, iOS 18.6, LINE 15.0.0, Apple iPhone",
		"Mozilla/5.0 (iPad; CPU OS 18_4" + webkitMobile + " Mobile/15E148 Weibo (iPad8,6__weibo__15.4.1__ipad__os18.4)":                     "tablet, iOS 18.4, Weibo , Apple iPad",
		"Mozilla/5.0 (Linux; Android 15; K) Telegram-Android/12.2.10 (Tecno TECNO CL6; Android 15; SDK 35; AVERAGE)":                        "mobile, Android 15, Telegram 12.2.10, Tecno TECNO CL6",
		"Mozilla/5.0 (Linux; Android 16; K" + androidChrome + " Telegram-Android/12.3.1 (Samsung SM-X115; Android 16; SDK 36; AVERAGE)":     "tablet, Android 16, Telegram 12.3.1, Samsung SM-X115",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6_2" + webkitMobile + "Mobile/15E148 Safari/604.1 trill_43.0.0 BytedanceWebview/d8a21c6":     "mobile, iOS 18.6.2, TikTok 43.0.0, Apple iPhone",
		"Mozilla/5.0 (Linux; Android 16; Pixel 10 Pro XL Build/CP1A.260305.018" + androidWeb + " MetaIAB Facebook":                          "mobile, Android 16, Facebook , Google Pixel 10 Pro XL",
		"Mozilla/5.0 (Linux; Android 13; F102 Build/TP1A.220624.014" + androidWeb + "Snapchat/13.60.0.42 (FOSSiBOT F102; Android 13#1#33;)": "mobile, Android 13, Snapchat 13.60.0.42,  F102",
	} {
		a := classify(ua)
		got := a.device + ", " + a.os + " " + a.osVersion + ", " + a.browser + " " + a.browserVersion + ", " + a.brand + " " + a.model
		if got != want || a.kind != human || a.impossible || isRareCrawler(ua, a) {
			t.Errorf("%s\n got %s (%s)\nwant %s", ua, got, kindNames[a.kind], want)
		}
	}
}

// TestFrozenSystem: since iOS 26 the stated version of the system is frozen, and the true version is the version of Safari, or
// follows from the build.
func TestFrozenSystem(t *testing.T) {
	t.Parallel()
	const phone, tablet = "Mozilla/5.0 (iPhone; CPU iPhone OS ", "Mozilla/5.0 (iPad; CPU OS "
	for ua, want := range map[string]string{
		phone + "18_6" + webkitMobile + "Version/26.0 Mobile/15E148 Safari/604.1":                                        "26.0",
		phone + "18_7" + webkitMobile + "Version/26.2 Mobile/15E148 Safari/604.1":                                        "26.2",
		phone + "18_7" + webkitMobile + "Version/27 Mobile/15E148 Safari/604.1":                                          "27",
		tablet + "18_7" + webkitMobile + "Version/26.5.2 Mobile/15E148 Safari/604.1":                                     "26.5.2",
		phone + "18_7" + webkitMobile + "Version/26.6.1 Mobile/15E148 Snapchat/14.25.0.48 (like Safari/8624.5.1, panda)": "26.6.1",
		phone + "18_7" + webkitMobile + "Mobile/15E148 YaBrowser/26.6.2.732.10 Safari/604.1 SA/3 Version/26.5":           "26.5",
		phone + "18_7" + webkitMobile + "Mobile/23C71 SomeApp/3.1":                                                       "26.2",
		phone + "18_7" + webkitMobile + "Mobile/24A335 SomeApp/3.1":                                                      "27.0",
		phone + "18_6" + webkitMobile + "Mobile/23A341 Instagram 398.1.0.39.81 (iPhone16,1; iOS 26_0; en_US; en)":        "26.0",

		// In these user agents, the stated version counts.
		phone + "18_6" + webkitMobile + "Version/18.6 Mobile/15E148 Safari/604.1":                                "18.6",
		phone + "18_7" + webkitMobile + "Mobile/22H20 Instagram 398.1.0.39.81 (iPhone17,1; iOS 18_7; tr_TR; tr)": "18.7",
		phone + "18_7" + webkitMobile + "Mobile/15E148":                                                          "18.7",
		phone + "18_5" + webkitMobile + "Version/26.0 Mobile/15E148 Safari/604.1":                                "18.5",
		phone + "26_0_0" + webkitMobile + "GSA/376.0.777690323 Mobile/15E148 Safari/604.1":                       "26.0.0",
		phone + "18_7" + webkitMobile + "Mobile/23":                                                              "18.7",
	} {
		if a := classify(ua); a.os != "iOS" || a.osVersion != want {
			t.Errorf("%s: %s %s, want %s", ua, a.os, a.osVersion, want)
		}
	}
}

// TestDevicesNamedLikeBots: words such as bot and spider do not count in the name of a device or of its maker.
func TestDevicesNamedLikeBots(t *testing.T) {
	t.Parallel()
	const android = "Mozilla/5.0 (Linux; Android 9; "
	for ua, isBot := range map[string]bool{
		android + "M_bot_tab_71 Build/NHG47K" + androidChrome: false,
		android + "ID_bot_553" + androidChrome:                false,
		android + "Highscreen Spider" + androidChrome:         false,
		android + "Spider 8" + androidChrome:                  false,
		android + "Expanse" + androidChrome:                   false,
		android + "Nuclei N1" + androidChrome:                 false,
		android + "Robot X" + androidChrome:                   false,
		android + "VR BOT 552 PLUS" + androidChrome:           false,
		android + "XBot_Senior Build/O11019" + androidChrome:  false,
		android + "OPPO A33m" + androidChrome:                 false,
		android + "CUBOT_X18_Plus" + androidChrome:            false,
		android + "S222 Build/CUBOT" + androidChrome:          false,
		"Mozilla/5.0 Linux; Android 9; M_bot_60 AppleWebKit/537.36 KHTML, like Gecko Chrome/72.0.3626.96 Mobile Safari/537.36": false,
		"Dalvik/2.1.0 (Linux; U; Android 6.0; M_bot_60 Build/MRA58K)":                                                          false,
		"Instagram 415.0.0.36.76 Android (33/13; 440dpi; 1080x2300; FOSSiBOT/FOSSiBOT; F102; f102; mt6789; pt_BR; 1)":          false,
		android + "K" + androidChrome + " Telegram-Android/11.14.1 (Fossibot F102-bot; Android 13; SDK 33; HIGH)":              false,
		"[FBAN/FB4A;FBAV/575.1.0.55.73;FBMF/FOSSiBOT;FBDV/M_bot_60;FBSV/14;]":                                                  false,
		"waipu/2023.25.0-40b5976d4b (Phone; CUBOT; NOTE 7; waipu; Android 10)":                                                 false,

		android + "M_bot_tab_71 Build/NHG47K; some-bot/1.0" + androidChrome:                                                 true,
		android + "M_bot_tab_71" + androidChrome + " (compatible; Foobot/1.0)":                                              true,
		android + "Foobot/2.1; +http://foo.example/bot.html" + androidChrome:                                                true,
		android + "Foobot/2.1" + androidChrome:                                                                              true,
		android + "Pixel 2 Build/OPD3; Storebot-Google/1.0" + androidChrome:                                                 true,
		android + "Nexus 5X Build/MMB29P" + androidChrome + " (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": true,
		"Expanse, a Palo Alto Networks company, searches across the global IPv4 space":                                      true,
		"Nuclei - Open-source project (github.com/projectdiscovery/nuclei)":                                                 true,
	} {
		a := classify(ua)
		bot := a.kind != human || isRareCrawler(ua, a)
		if bot != isBot {
			t.Errorf("%s: called a bot: %v (%s), want %v", ua, bot, kindNames[a.kind], isBot)
		}
		if !isBot && strings.HasPrefix(ua, android) && (a.os != "Android" || a.model == "" && !strings.Contains(ua, "; K)")) {
			t.Errorf("%s: described as %+v, want Android with its model", ua, a)
		}
	}
}
