package country

import (
	"maps"
	"slices"
)

type country struct{ continent, name string }

// Name returns the English name for an ISO 3166-1 alpha-2 code in upper case. An unknown code has no name.
func Name(code string) string { return countries[code].name }

// Continent returns the continent (AF AN AS EU NA OC SA) for an ISO 3166-1 alpha-2 code in upper case. For an unknown code, it
// returns an empty text.
func Continent(code string) string { return countries[code].continent }

// Codes returns all codes in alphabetical order.
func Codes() []string { return slices.Sorted(maps.Keys(countries)) }

var countries = map[string]country{
	"AD": {"EU", "Andorra"}, "AE": {"AS", "United Arab Emirates"}, "AF": {"AS", "Afghanistan"},
	"AG": {"NA", "Antigua and Barbuda"}, "AI": {"NA", "Anguilla"}, "AL": {"EU", "Albania"},
	"AM": {"AS", "Armenia"}, "AO": {"AF", "Angola"}, "AQ": {"AN", "Antarctica"}, "AR": {"SA", "Argentina"},
	"AS": {"OC", "American Samoa"}, "AT": {"EU", "Austria"}, "AU": {"OC", "Australia"}, "AW": {"NA", "Aruba"},
	"AX": {"EU", "Åland Islands"}, "AZ": {"AS", "Azerbaijan"}, "BA": {"EU", "Bosnia and Herzegovina"},
	"BB": {"NA", "Barbados"}, "BD": {"AS", "Bangladesh"}, "BE": {"EU", "Belgium"}, "BF": {"AF", "Burkina Faso"},
	"BG": {"EU", "Bulgaria"}, "BH": {"AS", "Bahrain"}, "BI": {"AF", "Burundi"}, "BJ": {"AF", "Benin"},
	"BL": {"NA", "Saint Barthélemy"}, "BM": {"NA", "Bermuda"}, "BN": {"AS", "Brunei"}, "BO": {"SA", "Bolivia"},
	"BQ": {"NA", "Caribbean Netherlands"}, "BR": {"SA", "Brazil"}, "BS": {"NA", "Bahamas"},
	"BT": {"AS", "Bhutan"}, "BV": {"AN", "Bouvet Island"}, "BW": {"AF", "Botswana"}, "BY": {"EU", "Belarus"},
	"BZ": {"NA", "Belize"}, "CA": {"NA", "Canada"}, "CC": {"AS", "Cocos (Keeling) Islands"},
	"CD": {"AF", "DR Congo"}, "CF": {"AF", "Central African Republic"}, "CG": {"AF", "Congo"},
	"CH": {"EU", "Switzerland"}, "CI": {"AF", "Côte d'Ivoire"}, "CK": {"OC", "Cook Islands"},
	"CL": {"SA", "Chile"}, "CM": {"AF", "Cameroon"}, "CN": {"AS", "China"}, "CO": {"SA", "Colombia"},
	"CR": {"NA", "Costa Rica"}, "CU": {"NA", "Cuba"}, "CV": {"AF", "Cape Verde"}, "CW": {"NA", "Curaçao"},
	"CX": {"AS", "Christmas Island"}, "CY": {"AS", "Cyprus"}, "CZ": {"EU", "Czechia"}, "DE": {"EU", "Germany"},
	"DJ": {"AF", "Djibouti"}, "DK": {"EU", "Denmark"}, "DM": {"NA", "Dominica"},
	"DO": {"NA", "Dominican Republic"}, "DZ": {"AF", "Algeria"}, "EC": {"SA", "Ecuador"}, "EE": {"EU", "Estonia"},
	"EG": {"AF", "Egypt"}, "EH": {"AF", "Western Sahara"}, "ER": {"AF", "Eritrea"}, "ES": {"EU", "Spain"},
	"ET": {"AF", "Ethiopia"}, "FI": {"EU", "Finland"}, "FJ": {"OC", "Fiji"}, "FK": {"SA", "Falkland Islands"},
	"FM": {"OC", "Micronesia"}, "FO": {"EU", "Faroe Islands"}, "FR": {"EU", "France"}, "GA": {"AF", "Gabon"},
	"GB": {"EU", "United Kingdom"}, "GD": {"NA", "Grenada"}, "GE": {"AS", "Georgia"},
	"GF": {"SA", "French Guiana"}, "GG": {"EU", "Guernsey"}, "GH": {"AF", "Ghana"}, "GI": {"EU", "Gibraltar"},
	"GL": {"NA", "Greenland"}, "GM": {"AF", "Gambia"}, "GN": {"AF", "Guinea"}, "GP": {"NA", "Guadeloupe"},
	"GQ": {"AF", "Equatorial Guinea"}, "GR": {"EU", "Greece"}, "GS": {"AN", "South Georgia"},
	"GT": {"NA", "Guatemala"}, "GU": {"OC", "Guam"}, "GW": {"AF", "Guinea-Bissau"}, "GY": {"SA", "Guyana"},
	"HK": {"AS", "Hong Kong"}, "HM": {"AN", "Heard and McDonald Islands"}, "HN": {"NA", "Honduras"},
	"HR": {"EU", "Croatia"}, "HT": {"NA", "Haiti"}, "HU": {"EU", "Hungary"}, "ID": {"AS", "Indonesia"},
	"IE": {"EU", "Ireland"}, "IL": {"AS", "Israel"}, "IM": {"EU", "Isle of Man"}, "IN": {"AS", "India"},
	"IO": {"AS", "British Indian Ocean Territory"}, "IQ": {"AS", "Iraq"}, "IR": {"AS", "Iran"},
	"IS": {"EU", "Iceland"}, "IT": {"EU", "Italy"}, "JE": {"EU", "Jersey"}, "JM": {"NA", "Jamaica"},
	"JO": {"AS", "Jordan"}, "JP": {"AS", "Japan"}, "KE": {"AF", "Kenya"}, "KG": {"AS", "Kyrgyzstan"},
	"KH": {"AS", "Cambodia"}, "KI": {"OC", "Kiribati"}, "KM": {"AF", "Comoros"},
	"KN": {"NA", "Saint Kitts and Nevis"}, "KP": {"AS", "North Korea"}, "KR": {"AS", "South Korea"},
	"KW": {"AS", "Kuwait"}, "KY": {"NA", "Cayman Islands"}, "KZ": {"AS", "Kazakhstan"}, "LA": {"AS", "Laos"},
	"LB": {"AS", "Lebanon"}, "LC": {"NA", "Saint Lucia"}, "LI": {"EU", "Liechtenstein"},
	"LK": {"AS", "Sri Lanka"}, "LR": {"AF", "Liberia"}, "LS": {"AF", "Lesotho"}, "LT": {"EU", "Lithuania"},
	"LU": {"EU", "Luxembourg"}, "LV": {"EU", "Latvia"}, "LY": {"AF", "Libya"}, "MA": {"AF", "Morocco"},
	"MC": {"EU", "Monaco"}, "MD": {"EU", "Moldova"}, "ME": {"EU", "Montenegro"}, "MF": {"NA", "Saint Martin"},
	"MG": {"AF", "Madagascar"}, "MH": {"OC", "Marshall Islands"}, "MK": {"EU", "North Macedonia"},
	"ML": {"AF", "Mali"}, "MM": {"AS", "Myanmar"}, "MN": {"AS", "Mongolia"}, "MO": {"AS", "Macao"},
	"MP": {"OC", "Northern Mariana Islands"}, "MQ": {"NA", "Martinique"}, "MR": {"AF", "Mauritania"},
	"MS": {"NA", "Montserrat"}, "MT": {"EU", "Malta"}, "MU": {"AF", "Mauritius"}, "MV": {"AS", "Maldives"},
	"MW": {"AF", "Malawi"}, "MX": {"NA", "Mexico"}, "MY": {"AS", "Malaysia"}, "MZ": {"AF", "Mozambique"},
	"NA": {"AF", "Namibia"}, "NC": {"OC", "New Caledonia"}, "NE": {"AF", "Niger"}, "NF": {"OC", "Norfolk Island"},
	"NG": {"AF", "Nigeria"}, "NI": {"NA", "Nicaragua"}, "NL": {"EU", "Netherlands"}, "NO": {"EU", "Norway"},
	"NP": {"AS", "Nepal"}, "NR": {"OC", "Nauru"}, "NU": {"OC", "Niue"}, "NZ": {"OC", "New Zealand"},
	"OM": {"AS", "Oman"}, "PA": {"NA", "Panama"}, "PE": {"SA", "Peru"}, "PF": {"OC", "French Polynesia"},
	"PG": {"OC", "Papua New Guinea"}, "PH": {"AS", "Philippines"}, "PK": {"AS", "Pakistan"},
	"PL": {"EU", "Poland"}, "PM": {"NA", "Saint Pierre and Miquelon"}, "PN": {"OC", "Pitcairn Islands"},
	"PR": {"NA", "Puerto Rico"}, "PS": {"AS", "Palestine"}, "PT": {"EU", "Portugal"}, "PW": {"OC", "Palau"},
	"PY": {"SA", "Paraguay"}, "QA": {"AS", "Qatar"}, "RE": {"AF", "Réunion"}, "RO": {"EU", "Romania"},
	"RS": {"EU", "Serbia"}, "RU": {"EU", "Russia"}, "RW": {"AF", "Rwanda"}, "SA": {"AS", "Saudi Arabia"},
	"SB": {"OC", "Solomon Islands"}, "SC": {"AF", "Seychelles"}, "SD": {"AF", "Sudan"}, "SE": {"EU", "Sweden"},
	"SG": {"AS", "Singapore"}, "SH": {"AF", "Saint Helena"}, "SI": {"EU", "Slovenia"},
	"SJ": {"EU", "Svalbard and Jan Mayen"}, "SK": {"EU", "Slovakia"}, "SL": {"AF", "Sierra Leone"},
	"SM": {"EU", "San Marino"}, "SN": {"AF", "Senegal"}, "SO": {"AF", "Somalia"}, "SR": {"SA", "Suriname"},
	"SS": {"AF", "South Sudan"}, "ST": {"AF", "São Tomé and Príncipe"}, "SV": {"NA", "El Salvador"},
	"SX": {"NA", "Sint Maarten"}, "SY": {"AS", "Syria"}, "SZ": {"AF", "Eswatini"},
	"TC": {"NA", "Turks and Caicos Islands"}, "TD": {"AF", "Chad"}, "TF": {"AN", "French Southern Territories"},
	"TG": {"AF", "Togo"}, "TH": {"AS", "Thailand"}, "TJ": {"AS", "Tajikistan"}, "TK": {"OC", "Tokelau"},
	"TL": {"AS", "Timor-Leste"}, "TM": {"AS", "Turkmenistan"}, "TN": {"AF", "Tunisia"}, "TO": {"OC", "Tonga"},
	"TR": {"AS", "Turkey"}, "TT": {"NA", "Trinidad and Tobago"}, "TV": {"OC", "Tuvalu"}, "TW": {"AS", "Taiwan"},
	"TZ": {"AF", "Tanzania"}, "UA": {"EU", "Ukraine"}, "UG": {"AF", "Uganda"},
	"UM": {"OC", "US Outlying Islands"}, "US": {"NA", "United States"}, "UY": {"SA", "Uruguay"},
	"UZ": {"AS", "Uzbekistan"}, "VA": {"EU", "Vatican City"}, "VC": {"NA", "Saint Vincent and the Grenadines"},
	"VE": {"SA", "Venezuela"}, "VG": {"NA", "British Virgin Islands"}, "VI": {"NA", "US Virgin Islands"},
	"VN": {"AS", "Vietnam"}, "VU": {"OC", "Vanuatu"}, "WF": {"OC", "Wallis and Futuna"}, "WS": {"OC", "Samoa"},
	"XK": {"EU", "Kosovo"}, "YE": {"AS", "Yemen"}, "YT": {"AF", "Mayotte"}, "ZA": {"AF", "South Africa"},
	"ZM": {"AF", "Zambia"}, "ZW": {"AF", "Zimbabwe"},
}
