// The German of the palette: other words under which people look for a screen.
import type { words as en } from '../en/find.ts'

export const words: typeof en = {
  openClick: id => `Klick ${id} öffnen`,
  also: {
    '/app/reports': 'Statistik Auswertung Stats',
    '/app/clicks': 'Besuche Log Protokoll Warum',
    '/app/bots': 'Blacklist Blocklist Sperrliste Whitelist Betrug Fraud',
    '/app/copilot': 'KI AI Regeln Automatik Optimierung',
    '/app/campaigns': 'Ablauf Funnel Tracking-Link',
    '/app/offers': 'Payout Auszahlung Caps Advertiser',
    '/app/landers': 'Lander LP Prelander',
    '/app/sources': 'Tokens Makros Traffic Postback',
    '/app/networks': 'Affiliate Payout Auszahlung Postback',
    '/app/smartlinks': 'Kurzlink Rotator',
    '/app/goals': 'Pixel Tag Ereignisse',
    '/app/import': 'Hochladen Umzug CSV Keitaro Voluum Binom',
    '/app/conversions': 'Payout Umsatz Sales Leads',
    '/app/unmatched': 'Postback fehlende Conversions verloren',
    '/app/corrections': 'Kosten Ausgaben Payout CSV cost',
    '/app/exports': 'Download Herunterladen CSV Aufträge',
    '/app/domains': 'DNS SSL Zertifikat CNAME',
    '/app/integrations': 'API Anbindung Facebook Google TikTok',
    '/app/webhooks': 'Ereignisse Endpunkt',
    '/app/alerts': 'Warnungen Benachrichtigungen',
    '/app/plan': 'Abrechnung Grenzen Verbrauch Prognose',
    '/app/settings': 'Währung Zeitzone Datumsformat Konto',
    '/app/team': 'Benutzer Mitglieder Einladung Rollen',
    '/app/keys': 'Token Zugang',
    '/app/audit': 'Verlauf Änderungen Wer',
    '/app/me': 'Passwort Zwei-Faktor 2FA Design dunkel Sprache',
  },
}
