// Made of the rows of the API by its tests (-run TestTypes -update). Do not edit.

export type Json = unknown

export interface AIActed { "models"?: (AIModel)[]; "connected"?: AIConnected | null; "model"?: string }
export interface AIBody { "action": string; "provider"?: string; "model"?: string; "apiKey"?: string }
export interface AIConnected { "provider": string; "model": string; "savedAt": string }
export interface AIConnection { "connection": AIConnected | null; "using": string; "message": string; "canManage": boolean; "encryption": boolean }
export interface AIModel { "id": string; "name": string }
export interface AIRemoved { "removed": boolean }
export interface Action { "op": string; "campaign_id": string | null; "path_id"?: string; "offer_id": string | null; "network_id": string | null; "weights"?: (Weight)[]; "from"?: string; "to"?: string; "cap"?: number | null; "attribute"?: string; "values"?: (string)[]; "worst"?: number; "campaigns"?: (string)[]; "field"?: string; "parameter"?: string }
export interface AdAccount { "id": string; "parentId": string | null; "name": string; "currency": string; "timeZone": string; "status": string; "manager": boolean }
export interface AdAccounts { "accounts": (AdAccount)[] }
export interface Alert { "type": string; "severity": string; "kind": string; "id": string; "name": string; "url": string | null; "message": string; "do": string; "status": number | null; "threats": (string)[]; "since": string; "checkedAt": string | null }
export interface AlertChannelBody { "kind": string; "name"?: string; "severity"?: string; "credentials"?: Record<string, string> }
export interface AlertChannelCode { "id": string; "code": string }
export interface AlertChannelConfirmed { "confirmed": boolean }
export interface AlertChannelForm { "kind": string; "label": string; "available": boolean; "fields": (CredentialFieldShown)[] }
export interface AlertChannelID { "id": string }
export interface AlertChannelList { "kinds": (AlertChannelForm)[]; "channels": (AlertChannelShown)[]; "encryptionAvailable": boolean }
export interface AlertChannelPatch { "id": string; "name"?: string | null; "severity"?: string | null; "is_active"?: boolean | null }
export interface AlertChannelShown { "id": string; "kind": string; "name": string; "severity": string; "is_active": boolean; "confirmed": boolean; "credentials": Record<string, string>; "created_at": string; "sent_at": string | null; "failing_since": string | null; "error": string | null }
export interface AlertList { "alerts": (Alert)[]; "count": number; "checkedAt": string | null; "services": (AlertService)[] }
export interface AlertService { "name": string; "status": string; "message": string | null; "checkedAt": string | null }
export interface AlertTested { "sent": boolean; "error": string | null }
export interface AnswerRecordedChange { "rows": (RecordedChange)[]; "next_cursor": string | null }
export interface Arrival { "arrival": string; "clicks": number; "unique_clicks": number; "share": number | null }
export interface Arrivals { "arrivals": (Arrival)[] }
export interface AuditList { "rows": (AuditRow)[]; "next_cursor": string | null }
export interface AuditRow { "id": string; "at": string; "who": string; "email": string | null; "person_id": string | null; "key_id": string | null; "address": string; "operation": string; "record": string | null; "fields": (string)[]; "changes": (Change)[]; "refused": number }
export interface BotData { "kind": string; "source": string; "entries": number | null; "dated": string }
export interface BotDetection { "threshold": number; "minThreshold": number; "maxThreshold": number; "signals": (BotSignal)[]; "totals": BotTotals; "scores": (BotScore)[]; "unknownReasons": (string)[]; "lists": BotLists; "data": (BotData)[] }
export interface BotDetectionBody { "threshold"?: number | null; "disabled"?: (string)[] | null; "days"?: number | null }
export interface BotDetectionChanged { "threshold": number; "disabled": (string)[]; "job_id": string | null; "range": Range | null }
export interface BotEntryAnswer { "id": string; "campaign_id": string | null; "list_type": string; "attribute": string; "operator": string; "value_count": number; "note": string; "created_at": string; "updated_at": string; "value": Json }
export interface BotEntryBody { "list_type": string; "attribute": string; "operator"?: string; "value"?: Json; "text"?: string | null; "campaign_id"?: string | null; "note"?: string; "everybody"?: boolean }
export interface BotEntryList { "range": Range; "propagationSeconds": number; "blocked": number; "rows": (BotEntryRow)[]; "next_cursor": string | null }
export interface BotEntryRow { "id": string; "campaign_id": string | null; "list_type": string; "attribute": string; "operator": string; "value_count": number; "note": string; "created_at": string; "updated_at": string; "blocked": number; "value": Json }
export interface BotLists { "allow": number; "deny": number }
export interface BotScore { "score": number; "clicks": number }
export interface BotSignal { "reason": string; "meaning": string; "weight": number; "enabled": boolean; "can_disable": boolean; "when": string; "found": string; "silent": string | null; "hits_30d": number }
export interface BotTotals { "clicks": number; "bot_clicks": number }
export interface Breakdown { "range": Range; "rows": (BreakdownRow)[] }
export interface BreakdownRow { "source_id": string | null; "name": string | null; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null }
export interface CampaignActivity { "clicks": number; "goals": number }
export interface CampaignBody { "name": string; "alias": string; "status"?: string; "domain_id"?: string; "source_id"?: string | null; "mode"?: string; "destination_url"?: string; "fallback_url"?: string; "primary_goal_key"?: string; "measurement_site_id"?: string | null; "tracked_goal_keys"?: (string)[]; "cost_model"?: string; "cost_value"?: number; "currency"?: string; "traffic_loss_pct"?: number; "flow_rotation"?: string; "bind_visitors"?: string; "uniqueness_method"?: string; "uniqueness_param"?: string; "uniqueness_ttl_hours"?: number; "group_name"?: string; "country"?: string; "tags"?: (string)[]; "is_pinned"?: boolean; "notes"?: string; "streams"?: Json; "flow_id"?: string; "offer_id"?: string; "lander_id"?: string }
export interface CampaignBrief { "id": string; "name": string; "alias": string; "status": string }
export interface CampaignCloned { "id": string; "name": string; "alias": string; "status": string; "paths": number }
export interface CampaignCreated { "id": string; "name": string; "alias": string; "status": string; "alias_replaced": boolean; "streams": (Path)[]; "url": string; "tracking_url": string; "links": (CampaignLink)[] }
export interface CampaignDetail { "networks": (FlowNetwork)[]; "campaign": CampaignWhole; "streams": (Path)[]; "version": string }
export interface CampaignGoal { "key": string; "is_primary": boolean; "clicks": number; "approved": number; "revenue": number }
export interface CampaignLink { "domain_id": string; "domain": string; "url": string; "tracking_url": string }
export interface CampaignPatch { "name"?: string; "alias"?: string; "status"?: string; "revision"?: string; "domain_id"?: string; "source_id"?: string | null; "mode"?: string; "destination_url"?: string; "fallback_url"?: string; "primary_goal_key"?: string; "measurement_site_id"?: string | null; "tracked_goal_keys"?: (string)[]; "cost_model"?: string; "cost_value"?: number; "currency"?: string; "traffic_loss_pct"?: number; "flow_rotation"?: string; "bind_visitors"?: string; "uniqueness_method"?: string; "uniqueness_param"?: string; "uniqueness_ttl_hours"?: number; "group_name"?: string; "country"?: string; "tags"?: (string)[]; "is_pinned"?: boolean; "notes"?: string }
export interface CampaignRow { "id": string; "name": string; "alias": string; "status": string; "domain_id": string; "source_id": string | null; "mode": string; "destination_url": string; "fallback_url": string; "primary_goal_key": string; "measurement_site_id": string | null; "tracked_goal_keys": (string)[]; "cost_model": string; "cost_value": number; "currency": string; "traffic_loss_pct": number; "flow_rotation": string; "bind_visitors": string; "uniqueness_method": string; "uniqueness_param": string; "uniqueness_ttl_hours": number; "group_name": string; "country": string; "tags": (string)[]; "is_pinned": boolean; "notes": string; "domain": string; "shared_domain": boolean; "source_name": string; "path_count": number; "created_at": string; "updated_at": string; "url": string; "tracking_url": string; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "goals": (CampaignGoal)[] }
export interface CampaignStats { "range": Range; "clicks": number; "cost": number; "conversions": number; "revenue": number }
export interface CampaignWhole { "id": string; "name": string; "alias": string; "status": string; "domain_id": string; "source_id": string | null; "mode": string; "destination_url": string; "fallback_url": string; "primary_goal_key": string; "measurement_site_id": string | null; "tracked_goal_keys": (string)[]; "cost_model": string; "cost_value": number; "currency": string; "traffic_loss_pct": number; "flow_rotation": string; "bind_visitors": string; "uniqueness_method": string; "uniqueness_param": string; "uniqueness_ttl_hours": number; "group_name": string; "country": string; "tags": (string)[]; "is_pinned": boolean; "notes": string; "domain": string; "shared_domain": boolean; "source_name": string; "path_count": number; "created_at": string; "updated_at": string; "url": string; "tracking_url": string; "links": (CampaignLink)[]; "revision": string }
export interface CertificateAnswer { "hostname": string; "edge": string | null; "ssl_status": string; "serving": boolean; "detail": string; "ownership": OwnershipTXT | null; "ownership_http": OwnershipHTTP | null; "errors": (string)[]; "expires_at": string | null }
export interface CertificateDeleted { "deleted": boolean; "detail": string }
export interface Change { "field": string; "before": string; "after": string }
export interface ChatAnswer { "available": boolean; "using": string; "message": string; "answer": string; "lookups": (ChatLookup)[]; "proposals": (ChatProposal)[] }
export interface ChatBody { "messages": (ChatMessageBody)[] }
export interface ChatLookup { "operation": string; "query": Record<string, string>; "rows": number; "error": string | null }
export interface ChatMessageBody { "role": string; "content": string }
export interface ChatProposal { "id": string; "campaign_id": string | null; "title": string; "reason": string; "action": Action; "status": string; "created_at": string; "expires_at": string }
export interface ChatState { "available": boolean; "using": string; "message": string }
export interface ClearedStats { "id": string; "range": Range; "clicks": number; "bot_clicks": number; "conversions": number }
export interface ClickAnswer { "click_id": string; "click": ClickRow; "hops": (HopRow)[]; "conversions": (ConversionRow)[]; "names": Record<string, string>; "visitor": ClickVisitor; "decision": ClickDecision; "trace": ClickTrace | null }
export interface ClickDecision { "via": string; "path": string | null }
export interface ClickLoss { "source_clicks": number; "redirects": number; "lp_views": number; "lp_clicks": number; "loss_pct": number | null }
export interface ClickLossDay { "day": string; "source_clicks": number; "redirects": number; "lp_views": number; "lp_clicks": number; "loss_pct": number | null }
export interface ClickRow { "click_id": string; "at": string; "campaign_id": string; "parent_campaign_id": string | null; "stream_id": string | null; "lander_id": string | null; "offer_id": string | null; "network_id": string | null; "source_id": string | null; "external_id": string; "passed_stream_id": string | null; "passed_reason": string; "bot_entry_id": string | null; "geo_source": string; "crawler": string; "claimed_crawler": string; "domain": string; "destination": string; "arrival": string; "params": string; "sub1": string; "sub2": string; "sub3": string; "sub4": string; "sub5": string; "sub6": string; "sub7": string; "sub8": string; "sub9": string; "sub10": string; "ip": string; "country": string; "region": string; "city": string; "language": string; "isp": string; "asn": number | null; "mobile_operator": string; "connection_type": string; "proxy_kind": string; "device_type": string; "device_brand": string; "device_model": string; "os": string; "os_version": string; "browser": string; "browser_version": string; "user_agent": string; "referrer": string; "referrer_domain": string; "keyword": string; "search_engine": string; "is_bot": boolean; "bot_score": number; "bot_reason": string; "cost": number; "currency": string; "rate": string | null; "is_unique": boolean; "lp_views": number; "lp_clicks": number; "lp_slot": number | null; "conversions": number; "revenue": number; "campaign_name": string | null; "stream_name": string | null; "passed_stream_name": string | null; "lander_name": string | null; "offer_name": string | null; "network_name": string | null; "source_name": string | null }
export interface ClickTrace { "flow_changed": boolean; "reproduced": boolean; "decision": RouteDecision | null; "campaigns": (RouteStage)[] }
export interface ClickVisitor { "visitor_id": string | null; "ip": string; "country": string; "region": string; "city": string; "language": string; "isp": string; "asn": number | null; "mobile_operator": string; "connection_type": string; "proxy_kind": string; "device_type": string; "device_brand": string; "device_model": string; "os": string; "os_version": string; "browser": string; "browser_version": string; "user_agent": string; "referrer": string; "referrer_domain": string; "keyword": string; "search_engine": string; "is_bot": boolean; "bot_score": number; "bot_reason": string; "bot_signals": (string)[]; "is_unique": boolean }
export interface CodeBody { "code": string }
export interface Compared { "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "click_loss": ClickLoss | null; "compare"?: FigureRow | null; "changes"?: FigureChanges | null }
export interface Comparison { "figure": string; "operator": string; "value": number; "times": string }
export interface Condition { "attribute": string; "operator": string; "value": Json }
export interface ConfirmBody { "password": string; "code"?: string }
export interface ConversionAction { "id": string; "name": string; "category": string; "status": string; "resource_name": string | null; "ready_at": string | null }
export interface ConversionActionBody { "name"?: string }
export interface ConversionActions { "actions": (ConversionAction)[] }
export interface ConversionCorrection { "dryRun": boolean; "total": number; "accepted": number; "refused": number; "truncated": boolean; "payout": number; "outcomes": (ConversionOutcome)[] }
export interface ConversionOutcome { "line": number; "accepted": boolean; "result": string; "reason": string; "click_id": string; "conversion_id": string; "goal": string; "status": string; "payout": number | null; "currency": string; "counts": number | null; "time": string | null }
export interface ConversionRow { "id": string; "click_id": string; "conversion_id": string; "status": string; "payout": string; "currency": string; "goal": string; "campaign_id": string; "offer_id": string; "source_id": string; "recorded_at": string; "source": string; "original_status": string; "network_id": string | null; "rate": string | null; "cost": number; "updated_at": string; "campaign_name": string | null; "offer_name": string | null; "source_name": string | null; "network_name": string | null }
export interface CopilotActed { "action": string; "id": string | null; "status": string | null; "change_id": string | null; "snoozedUntil": string | null; "lastRunAt": string | null; "judged": number | null; "open": number | null }
export interface CopilotAnswer { "plan": string; "canApply": boolean; "lastRunAt": string | null; "total": number; "suggestions": (CopilotSuggestion)[]; "changes": (CopilotChange)[]; "proposals": (ChatProposal)[]; "open": number }
export interface CopilotBody { "action": string; "id"?: string; "variant"?: string; "days"?: number }
export interface CopilotChange { "id": string; "suggestion_id": string | null; "proposal_id": string | null; "rule_id": string | null; "campaign_id": string | null; "title": string; "evidence": Evidence | null; "action": Action; "status": string; "created_at": string; "undone_at": string | null }
export interface CopilotPreview { "id": string; "action": Action; "before": Part; "after": Part; "names": Record<string, string>; "stale": string | null }
export interface CopilotRule { "id": string; "name": string; "is_active": boolean; "mode": string; "looks_at": string; "attribute": string; "campaign_ids": (string)[]; "source_ids": (string)[]; "conditions": (Comparison)[]; "window": number; "window_unit": string; "include_current": boolean; "every_minutes": number; "action": string; "factor": number; "min_weight": number; "max_weight": number; "cooldown_minutes": number; "max_changes": number; "next_at": string; "last_run": RunSummary | null; "created_at": string; "updated_at": string; "when": string }
export interface CopilotRuleBody { "name": string; "is_active"?: boolean; "mode"?: string; "looks_at"?: string; "attribute"?: string; "campaign_ids"?: (string)[]; "source_ids"?: (string)[]; "conditions"?: (Comparison)[]; "window"?: number; "window_unit"?: string; "include_current"?: boolean; "every_minutes"?: number; "action"?: string; "factor"?: number; "min_weight"?: number; "max_weight"?: number; "cooldown_minutes"?: number; "max_changes"?: number }
export interface CopilotRulePatch { "id": string; "name"?: string; "is_active"?: boolean; "mode"?: string; "looks_at"?: string; "attribute"?: string; "campaign_ids"?: (string)[]; "source_ids"?: (string)[]; "conditions"?: (Comparison)[]; "window"?: number; "window_unit"?: string; "include_current"?: boolean; "every_minutes"?: number; "action"?: string; "factor"?: number; "min_weight"?: number; "max_weight"?: number; "cooldown_minutes"?: number; "max_changes"?: number }
export interface CopilotRuleReplay { "from": string; "to": string; "looked": number; "total": number; "rows": (CopilotRuleReplayRow)[] }
export interface CopilotRuleReplayRow { "at": string; "of": string; "figures": (Figure)[]; "after": FigureRow }
export interface CopilotRuleRun { "id": string; "at": string; "from": string; "to": string; "outcome": string; "looked": number; "matched": number; "done": number; "cut": boolean; "items": (RunItem)[] }
export interface CopilotSuggestion { "id": string; "kind": string; "campaign_id": string | null; "campaign": string; "title": string; "detail": string; "evidence": Evidence; "effect": Effect | null; "action": Action | null; "status": string; "created_at": string; "judged_at": string; "expires_at": string; "advice_only": boolean; "variants": (string)[] }
export interface CorrectionBody { "csv": string; "apply"?: boolean }
export interface CostCorrection { "dryRun": boolean; "total": number; "accepted": number; "refused": number; "truncated": boolean; "spend": number; "outcomes": (CostOutcome)[] }
export interface CostEndpoint { "url": string; "method": string; "headers": Record<string, string>; "body": Json; "rowsPath": string; "dayField": string; "campaignField": string; "spendField": string; "clicksField": string; "impressionsField": string; "spendDivisor": number | null; "currency": string }
export interface CostOutcome { "line": number; "accepted": boolean; "result": string; "reason": string; "day": string; "source": string; "source_id": string | null; "campaign": string; "campaign_id": string | null; "spend": number; "currency": string; "counts": number | null; "clicks": number | null; "impressions": number | null; "spread_clicks": number }
export interface CredentialFieldShown { "name": string; "label": string; "secret": boolean; "required": boolean; "values": (string)[]; "default": string | null; "help": string }
export interface DNSAccountID { "id": string }
export interface DNSAccountShown { "id": string; "provider": string; "label": string; "credentials": Record<string, string>; "savedAt": string; "checkedAt": string | null; "failingSince": string | null; "error": string | null }
export interface DNSPoint { "host": string; "ok": boolean; "action": string; "record": DNSRecord | null; "message": string }
export interface DNSProviderForm { "provider": string; "label": string; "apex": string; "fields": (CredentialFieldShown)[] }
export interface DNSRecord { "type": string; "name": string; "value": string }
export interface DayPoint { "date": string; "clicks": number; "conversions": number; "cost": number; "revenue": number }
export interface DayRange { "from": string; "to": string }
export interface DeactivatedUsed { "id": string; "deactivated": boolean; "used_by": (User)[] }
export interface DefaultView { "view": string | null }
export interface DefaultViewBody { "view"?: string | null }
export interface DeletedAnswer { "id": string; "deleted": boolean }
export interface DeletedUsed { "id": string; "deleted": boolean; "used_by": (User)[] }
export interface DeliveryList { "rows": (DeliveryRow)[]; "next_cursor": string | null }
export interface DeliveryRow { "id": string; "webhookId": string; "eventId": string; "event": string; "status": string; "attempts": number; "httpStatus": number | null; "body": Json; "answer": string; "createdAt": string; "lastAttemptAt": string | null; "nextAttemptAt": string | null; "deliveredAt": string | null; "error": string | null }
export interface Destination { "id"?: string; "url"?: string; "weight": number; "slot"?: number }
export interface DestinationWeight { "id"?: string; "url"?: string; "slot"?: number | null; "weight": number | null }
export interface DimensionFilter { "dimension": string; "value": string; "not"?: boolean }
export interface Disconnected { "disconnected": boolean }
export interface DomainAdded { "id": string; "domain": string; "is_verified": boolean; "added": (string)[]; "skipped": (string)[]; "dns": (DNSPoint)[] }
export interface DomainBody { "domain": string; "dns_account_id"?: string; "group_name"?: string; "failover"?: boolean; "crawlers"?: string; "https_only"?: boolean; "index_page"?: string }
export interface DomainChanged { "id": string; "domain": string; "is_default"?: boolean | null; "campaigns"?: number | null; "kept"?: number | null }
export interface DomainDeleted { "id": string; "deleted": boolean; "certificate_released": boolean }
export interface DomainList { "rows": (DomainRow)[]; "next_cursor": string | null; "shared": (SharedDomainRow)[]; "cname_target": string | null }
export interface DomainPatch { "id": string; "action"?: string; "group_name"?: string; "failover"?: boolean | null; "crawlers"?: string; "https_only"?: boolean; "index_page"?: string }
export interface DomainRow { "id": string; "domain": string; "is_verified": boolean; "is_default": boolean; "proof": string; "group_name": string; "failover": boolean; "crawlers": string; "https_only": boolean; "index_page": string; "campaigns": number; "smartlinks": number; "failed_over": number; "points": boolean | null; "https": boolean | null; "checked_at": string | null; "registered_until": string | null; "ssl_status": string; "certificate_expires_at": string | null; "created_at": string; "updated_at": string; "dns_records": (DNSRecord)[] }
export interface DrawnWay { "via": string; "path_id": string | null; "path": string; "lander_id": string | null; "offer_id": string | null; "count": number }
export interface EdgeAnswer { "configured": boolean; "routableCampaigns": number; "campaignsWithoutDomain": number; "publishedCampaigns": number; "publishedAt": string | null; "hint": string | null }
export interface EdgePublished { "configured": boolean; "published": number; "removed": number; "failed": number; "rules": number; "rulesError": string | null; "ms": number }
export interface Effect { "value": number; "low": number; "high": number; "unit": string }
export interface Error { "message": string; "code": string }
export interface Evidence { "figures": (Figure)[]; "from": string; "to": string; "sample": number; "confidence": number; "method": string; "minimum": string }
export interface ExportAnswer { "id": string; "name": string; "row_count": number; "byte_size": number; "created_at": string; "download_url": string }
export interface ExportBody { "kind"?: string; "dimension"?: string; "filters"?: (ExportFilter)[]; "tz"?: string; "bucket"?: string; "link"?: string | null; "name"?: string }
export interface ExportFilter { "dimension"?: string; "value"?: Json; "not"?: boolean }
export interface ExportList { "rows": (ExportRow)[]; "next_cursor": string | null }
export interface ExportRow { "id": string; "name": string; "row_count": number; "byte_size": number; "created_at": string; "download_url": string; "kind": string; "expires_at": string }
export interface Figure { "of": string; "name": string; "value": number }
export interface FigureChanges { "clicks": number | null; "unique_clicks": number | null; "lp_clicks": number | null; "bot_clicks": number | null; "conversions": number | null; "pending": number | null; "rejected": number | null; "cost": number | null; "revenue": number | null; "profit": number | null; "roi": number | null; "cr": number | null; "lp_ctr": number | null; "epc": number | null; "cpa": number | null }
export interface FigureRow { "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null }
export interface File {  }
export interface FilterPart { "id": string; "stream_type": string; "logic": string; "filters": (Condition)[] }
export interface Finding { "attribute": string; "operator": string; "value": Json; "seen": string; "known": boolean; "matched": boolean }
export interface FlowAnswer { "campaign_id": string; "streams": (Path)[]; "version": string }
export interface FlowBody { "streams": Json }
export interface FlowNetwork { "id": string; "name": string; "currency": string; "status": string }
export interface FlowReplayBody { "streams"?: Json; "flow_rotation"?: string; "bind_visitors"?: string; "fallback_url"?: string; "destination_url"?: string }
export interface FlowReplayed { "campaign_id": string; "range": Range; "clicks": number; "bot_clicks": number; "changed": number; "cut": boolean; "rows": (PredictedRow)[] }
export interface Funnel { "steps": (FunnelStep)[]; "days": number; "mode": string; "primaryGoalKey": string | null; "goalKeys": (string)[]; "split": FunnelSplits | null }
export interface FunnelSplit { "id": string | null; "name": string; "steps": (FunnelStep)[] }
export interface FunnelSplits { "by": string; "rows": (FunnelSplit)[] }
export interface FunnelStep { "key": string; "count": number; "rate": number | null }
export interface GeoConnected { "provider": string; "enabled": boolean; "savedAt": string; "failingSince": string | null; "error": string | null }
export interface GeoDatabase { "planIncludes": boolean; "connected": GeoConnected | null; "providers": (GeoProvider)[]; "budgetPerMinute": number }
export interface GeoDatabaseBody { "provider": string; "key"?: string; "enabled"?: boolean | null }
export interface GeoDatabaseSaved { "saved": boolean; "provider": string; "enabled": boolean }
export interface GeoProvider { "provider": string; "label": string; "key": string }
export interface Goal { "id": string; "siteId": string; "name": string; "key": string; "kind": string; "matchPath": string; "dedupe": string; "valueMode": string; "value": number; "currency": string; "status": string; "isActive": boolean; "isPrimary": boolean; "createdAt": string; "updatedAt": string }
export interface GoalAnswer { "goal": Goal }
export interface GoalBody { "key": string; "name"?: string; "kind"?: string; "matchPath"?: string; "dedupe"?: string; "valueMode"?: string; "value"?: number; "siteId"?: string | null; "currency"?: string; "status"?: string; "isPrimary"?: boolean | null; "isActive"?: boolean | null }
export interface GoalDeleted { "deleted": boolean }
export interface GoalList { "site": Site | null; "sites": (Site)[]; "goals": (GoalRow)[]; "siteKey": string; "secretSet": boolean; "secretSetAt": string | null; "currency": string; "products": (GoalProduct)[]; "live": GoalsLive; "siteTotals": GoalTotals; "suggested": (GoalSuggested)[]; "planIncludes": boolean; "trackingDomains": (string)[]; "sharedDomains": (string)[]; "days": number }
export interface GoalPostback { "goal": string; "url": string; "statuses": (string)[] }
export interface GoalProduct { "sku": string; "name": string; "currency": string; "orders": number; "quantity": number; "revenue": number }
export interface GoalRow { "id": string; "siteId": string; "name": string; "key": string; "kind": string; "matchPath": string; "dedupe": string; "valueMode": string; "value": number; "currency": string; "status": string; "isActive": boolean; "isPrimary": boolean; "createdAt": string; "updatedAt": string; "events": number; "clicks": number; "conversions": number; "approved": number; "pending": number; "revenue": number; "pendingRevenue": number; "lastAt": string | null }
export interface GoalSecret { "secret": string; "note": string }
export interface GoalSuggested { "key": string; "name": string; "kind": string; "matchPath": string; "dedupe": string; "valueMode": string; "events": number; "lastAt": string | null }
export interface GoalTotals { "events": number; "views": number; "clicks": number; "orders": number; "conversions": number; "revenue": number }
export interface GoalsLive { "windowMinutes": number; "clicks": number; "views": number; "events": number; "latest": (LiveEvent)[] }
export interface GroupNames { "scope": string; "groups": (string)[] }
export interface HopRow { "kind": string; "at": string; "slot": number | null; "lander_id": string | null; "offer_id": string | null; "network_id": string | null; "destination": string }
export interface HourPoint { "hour": number; "start": string; "clicks": number; "conversions": number; "cost": number; "revenue": number }
export interface Hourly { "tz": string; "points": (HourPoint)[] }
export interface ID { "id": string }
export interface IDAnswer { "id": string }
export interface IntegrationBody { "provider": string; "id"?: string; "label"?: string | null; "credentials"?: Record<string, string> }
export interface IntegrationList { "providers": (DNSProviderForm)[]; "accounts": (DNSAccountShown)[]; "encryptionAvailable": boolean }
export interface IntegrationRun { "id": string; "kind": string; "origin": string; "from": string | null; "to": string | null; "applied": boolean; "startedAt": string; "endedAt": string | null; "ms": number | null; "requests": number; "pages": number; "read": number; "matched": number; "changed": number; "error": string | null }
export interface IntegrationSaved { "saved": boolean; "id": string }
export interface IntegrationTested { "ok": boolean; "message": string; "detail": string | null; "zones": (string)[] }
export interface Invitation { "id": string; "kind": string; "email": string; "role": string; "expires_at": string; "url": string }
export interface InviteBody { "email": string; "role": string }
export interface JobAnswer { "id": string; "kind": string; "status": string; "url": string; "result": Json; "error": Error | null }
export interface JobList { "rows": (JobRow)[] }
export interface JobRow { "id": string; "kind": string; "status": string; "url": string; "created_at": string; "finished_at": string | null; "error": Error | null }
export interface KeyBody { "name": string; "scope"?: string; "days"?: number }
export interface KeyList { "rows": (KeyRow)[] }
export interface KeyRow { "id": string; "name": string; "scope": string; "hint": string; "state": string; "created_at": string; "expires_at": string | null; "used_at": string | null; "key"?: string }
export interface LanderAnswer { "id": string; "name": string; "url": string; "click_slots": number; "group_name": string; "country": string; "tags": (string)[]; "notes": string; "protection": Protection; "status": string; "created_at": string; "updated_at": string }
export interface LanderBody { "name": string; "url": string; "click_slots"?: number; "group_name"?: string; "country"?: string; "tags"?: (string)[]; "notes"?: string }
export interface LanderPatch { "id": string; "is_active"?: boolean | null; "protection"?: ProtectionBody | null }
export interface LanderPatchAnswer { "id": string; "status"?: string; "protection"?: Protection | null }
export interface LanderPut { "id": string; "name": string; "url": string; "click_slots"?: number; "group_name"?: string; "country"?: string; "tags"?: (string)[]; "notes"?: string }
export interface LanderRow { "id": string; "name": string; "url": string; "click_slots": number; "group_name": string; "country": string; "tags": (string)[]; "notes": string; "protection": Protection; "status": string; "created_at": string; "updated_at": string; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "last_check": LastCheck | null }
export interface LastCheck { "ok": boolean; "status": number | null; "error": string | null; "checked_at": string; "failing_since": string | null; "broken": boolean }
export interface LeadCampaign { "id": string; "name": string; "status": string; "siteId": string | null; "primaryGoalKey": string | null; "goalKeys": (string)[]; "landers": (LeadLander)[] }
export interface LeadCampaigns { "campaigns": (LeadCampaign)[] }
export interface LeadLander { "id": string; "name": string; "clicks": number; "conversions": number; "revenue": number; "cr": number | null }
export interface LinkBody { "offer_id"?: string | null; "lander_id"?: string | null }
export interface LinkBody2 { "token": string }
export interface LinkChecked { "kind": string; "id": string; "url": string; "ok": boolean; "status": number | null; "error": string | null; "checked_at": string }
export interface LinkRow { "id": string; "kind": string; "email": string; "role": string; "expires_at": string }
export interface LinkShown { "kind": string; "account": string; "email": string; "role": string; "new_password": boolean }
export interface Live { "visitors": number; "views": number; "windowMinutes": number; "pages": (LivePage)[]; "countries": (LiveCountry)[]; "devices": (LiveDevice)[]; "campaigns": (LiveCampaign)[]; "per_minute": (LiveMinute)[] }
export interface LiveCampaign { "id": string; "name": string | null; "visitors": number; "views": number }
export interface LiveCountry { "country": string; "visitors": number; "views": number }
export interface LiveDevice { "device": string; "visitors": number; "views": number }
export interface LiveEvent { "at": string; "name": string; "host": string; "path": string; "clickId": string | null; "source": string; "value": number; "currency": string; "goals": (string)[] }
export interface LiveMinute { "at": string; "visitors": number; "views": number }
export interface LivePage { "kind": string | null; "id": string | null; "name": string | null; "visitors": number; "views": number }
export interface MarkList { "changes": (RecordedChange)[]; "notes": (NoteRow)[]; "truncated": boolean }
export interface Me { "id": string; "email": string; "name": string; "theme": string; "language": string; "letter_keys": boolean; "has_codes": boolean; "role": string; "session_id": string; "confirmed": boolean; "account": MeAccount; "accounts": (Workplace)[] }
export interface MeAccount { "id": string; "name": string; "plan": string; "currency": string; "timezone": string; "dateFormat": string; "timeFormat": string }
export interface MeBody { "name": string; "theme"?: string; "language"?: string; "letter_keys"?: boolean | null }
export interface MemberRow { "id": string; "email": string; "name": string; "role": string; "has_codes": boolean; "joined_at": string; "seen_at": string | null }
export interface MoveBody { "account": string }
export interface Network { "name"?: string; "currency"?: string; "url"?: string; "offer_type"?: string; "click_param"?: string; "postback_params"?: Record<string, string>; "macros"?: Record<string, string>; "status_map"?: Record<string, (string)[]>; "notes"?: string; "payment_terms"?: string; "payment_frequency"?: string; "minimum_payout"?: number | null }
export interface NetworkAnswer { "id": string; "name": string; "currency": string; "postback_params": Record<string, string>; "status_map": Record<string, (string)[]>; "url": string; "group_name": string; "notes": string; "manager_name": string; "manager_email": string; "manager_phone": string; "manager_im": string; "payment_terms": string; "payment_frequency": string; "tags": (string)[]; "minimum_payout": number | null; "macros": Record<string, string>; "click_param": string; "has_postback_secret": boolean; "status": string; "created_at": string; "updated_at": string; "offer_type": string; "postback_url": string; "offer_url_suffix": string }
export interface NetworkCreate { "name"?: string; "currency"?: string; "postback_params"?: Record<string, string>; "status_map"?: Record<string, (string)[]>; "url"?: string; "offer_type"?: string; "group_name"?: string; "notes"?: string; "manager_name"?: string; "manager_email"?: string; "manager_phone"?: string; "manager_im"?: string; "payment_terms"?: string; "payment_frequency"?: string; "tags"?: (string)[]; "minimum_payout"?: number | null; "macros"?: Record<string, string>; "click_param"?: string; "postback_secret"?: string; "template"?: string }
export interface NetworkIntegration { "networkId": string; "networkName": string; "connectedTo": string | null; "credentials": Record<string, string>; "is_enabled": boolean; "lastStatus": string | null; "lastError": string | null; "lastCheckedAt": string | null; "lastSyncedAt": string | null; "nextSyncAt": string | null; "runs": (IntegrationRun)[]; "providers": (NetworkProviderForm)[]; "encryptionAvailable": boolean }
export interface NetworkIntegrationBody { "provider": string; "credentials"?: Record<string, string>; "is_enabled"?: boolean | null }
export interface NetworkIntegrationSaved { "saved": boolean }
export interface NetworkProviderForm { "provider": string; "label": string; "click": string; "fields": (CredentialFieldShown)[] }
export interface NetworkPut { "id": string; "currency"?: string; "postback_params"?: Record<string, string>; "status_map"?: Record<string, (string)[]>; "url"?: string; "offer_type"?: string; "group_name"?: string; "notes"?: string; "manager_name"?: string; "manager_email"?: string; "manager_phone"?: string; "manager_im"?: string; "payment_terms"?: string; "payment_frequency"?: string; "tags"?: (string)[]; "minimum_payout"?: number | null; "macros"?: Record<string, string>; "click_param"?: string; "postback_secret"?: string; "name": string }
export interface NetworkRow { "id": string; "name": string; "currency": string; "postback_params": Record<string, string>; "status_map": Record<string, (string)[]>; "url": string; "group_name": string; "notes": string; "manager_name": string; "manager_email": string; "manager_phone": string; "manager_im": string; "payment_terms": string; "payment_frequency": string; "tags": (string)[]; "minimum_payout": number | null; "macros": Record<string, string>; "click_param": string; "has_postback_secret": boolean; "status": string; "created_at": string; "updated_at": string; "offer_type": string; "postback_url": string; "offer_url_suffix": string; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null }
export interface NetworkRows { "rows": (NetworkRow)[]; "next_cursor": string | null }
export interface NetworkSynced { "dryRun": boolean; "provider": string; "from": string; "to": string; "total": number; "matched": number; "unmatched": number; "payout": number; "outcomes": (ConversionOutcome)[] }
export interface NetworkTemplateRow { "id": string; "built_in": boolean; "name": string; "currency": string; "url": string; "offer_type": string; "click_param": string; "postback_params": Record<string, string>; "macros": Record<string, string>; "status_map": Record<string, (string)[]>; "notes": string; "payment_terms": string; "payment_frequency": string; "minimum_payout": number | null; "postback_query": string; "created_at": string | null; "updated_at": string | null }
export interface NetworkTemplateRows { "rows": (NetworkTemplateRow)[] }
export interface NetworkTemplatesBody { "templates"?: (Network)[]; "name"?: string; "currency"?: string; "url"?: string; "offer_type"?: string; "click_param"?: string; "postback_params"?: Record<string, string>; "macros"?: Record<string, string>; "status_map"?: Record<string, (string)[]>; "notes"?: string; "payment_terms"?: string; "payment_frequency"?: string; "minimum_payout"?: number | null }
export interface NetworkTested { "ok": boolean; "provider": string; "message": string; "detail": string | null }
export interface NewTOTP { "secret": string; "url": string; "qr": string }
export interface NoteBody { "at": string; "text": string; "campaign_id"?: string | null }
export interface NoteRow { "id": string; "at": string; "text": string; "campaign_id": string | null; "campaign": string | null; "author": string; "may_change": boolean }
export interface OAuthBegun { "url": string; "expires_at": string }
export interface OAuthConnection { "id": string; "userId": string; "userName": string; "scopes": (string)[]; "status": string; "connectedAt": string; "refreshedAt": string | null; "expiresAt": string | null; "failingSince": string | null; "error": string | null }
export interface OAuthEnded { "id": string; "provider": string; "label": string; "user_name": string }
export interface OAuthList { "providers": (OAuthProvider)[]; "encryptionAvailable": boolean }
export interface OAuthProvider { "provider": string; "label": string; "configured": boolean; "connections": (OAuthConnection)[] }
export interface OAuthStart { "url": string; "expiresAt": string }
export interface OauthBody { "state": string; "code"?: string; "error"?: string }
export interface OfferAnswer { "id": string; "name": string; "url": string; "network_id": string | null; "payout": number; "payout_type": string; "currency": string; "country": string; "daily_cap": number | null; "notes": string; "group_name": string; "payout_from_param": boolean; "tags": (string)[]; "status": string; "created_at": string; "updated_at": string; "group": string }
export interface OfferBody { "name": string; "url": string; "network_id"?: string | null; "payout"?: number; "payout_type"?: string; "currency"?: string; "country"?: string; "daily_cap"?: number | null; "notes"?: string; "payout_from_param"?: boolean; "tags"?: (string)[]; "group"?: string | null; "group_name"?: string | null }
export interface OfferPut { "id": string; "name": string; "url": string; "network_id"?: string | null; "payout"?: number; "payout_type"?: string; "currency"?: string; "country"?: string; "daily_cap"?: number | null; "notes"?: string; "payout_from_param"?: boolean; "tags"?: (string)[]; "group"?: string | null; "group_name"?: string | null }
export interface OfferRow { "id": string; "name": string; "url": string; "network_id": string | null; "payout": number; "payout_type": string; "currency": string; "country": string; "daily_cap": number | null; "notes": string; "group_name": string; "payout_from_param": boolean; "tags": (string)[]; "status": string; "created_at": string; "updated_at": string; "group": string; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "capped_today": boolean; "last_check": LastCheck | null }
export interface Orphaned { "range": Range; "rows": (OrphanedRow)[]; "liveCampaigns": number; "clicks": number; "conversions": number; "cost": number; "revenue": number }
export interface OrphanedBody { "campaign_ids": (string)[] }
export interface OrphanedCleared { "deleted": number; "clicks": number; "bot_clicks": number }
export interface OrphanedRow { "campaign_id": string; "clicks": number; "bot_clicks": number; "lp_clicks": number; "visitors": number; "cost": number; "conversions": number; "revenue": number; "first_seen": string; "last_seen": string }
export interface Overview { "range": Range; "previousRange": Range; "tz": string; "filters": (DimensionFilter)[]; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "changes": FigureChanges }
export interface OwnershipHTTP { "http_url": string; "http_body": string }
export interface OwnershipTXT { "type": string; "name": string; "value": string }
export interface Part { "status"?: string; "cap"?: number | null; "paths"?: (PathPart)[]; "destinations"?: (Destination)[]; "filters"?: (FilterPart)[]; "params"?: Record<string, string>; "entries"?: (string)[] }
export interface PasswordBody { "password": string }
export interface Path { "id": string; "name": string; "stream_type": string; "action": string; "transition": string; "rule_group": number; "weight": number; "daily_cap": number | null; "is_active": boolean; "collect_clicks": boolean; "logic": string; "filters": (Condition)[]; "rules": (RuleRef)[]; "destinations": (Destination)[]; "response"?: Response | null; "campaign_id"?: string }
export interface PathPart { "id": string; "is_active": boolean; "weight": number }
export interface PathPatch { "path_id": string; "weight"?: number | null; "is_active"?: boolean | null; "daily_cap"?: number | null; "destinations"?: (DestinationWeight)[] }
export interface Performance { "range": Range; "tz": string; "dimension": string; "dimensions": (string)[]; "filters": (DimensionFilter)[]; "goals": (string)[]; "compare_range": Range | null; "rows": (PerformanceRow)[]; "truncated": boolean; "totals": Compared; "labels": Record<string, Record<string, string>> }
export interface PerformanceRow { "dims": Record<string, string>; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "click_loss": ClickLoss | null; "compare"?: FigureRow | null; "changes"?: FigureChanges | null }
export interface PlanAllowances { "campaigns": number | null; "offers": number | null; "landers": number | null; "integrations": number | null; "domains": number | null; "rules": number | null; "flows": number | null; "smartlinks": number | null; "templates": number | null; "copilotRules": number | null; "botValues": number | null; "sites": number | null; "goals": number | null; "matchingBytes": number | null; "openJobs": number | null; "exportBytes": number | null; "answerBytes": number | null; "clicksPerMonth": number | null; "clickHistoryDays": number | null; "postbackDays": number | null; "geoLookups": number | null; "callsPerMinute": number | null; "webhooks": number | null }
export interface PlanAnswer { "plan": string; "status": string; "period": string; "cancelAtPeriodEnd": boolean; "currentPeriodEnd": string; "allowances": PlanAllowances; "pastAllowance": string; "includes": PlanIncludes }
export interface PlanCopilot { "included": boolean }
export interface PlanDay { "date": string; "clicks": number }
export interface PlanDetail { "resetsAt": string; "daily": (PlanDay)[]; "forecast": PlanForecast; "team": PlanTeam; "integrations": PlanIntegrations; "copilot": PlanCopilot; "plan": PlanUse }
export interface PlanForecast { "clicks": number; "low": number | null; "high": number | null; "overOn": string | null; "isOver": boolean; "perDay": number; "remaining": number | null }
export interface PlanIncludes { "api": boolean; "webhooks": boolean; "geoDatabase": boolean; "goalTracking": boolean; "oneClick": boolean }
export interface PlanIntegrations { "used": number; "limit": number | null; "sources": number; "networks": number }
export interface PlanTeam { "apiKeys": number }
export interface PlanUsageAnswer { "plan": string; "status": string; "period": string; "cancelAtPeriodEnd": boolean; "currentPeriodEnd": string; "allowances": PlanAllowances; "pastAllowance": string; "includes": PlanIncludes; "detail": PlanDetail }
export interface PlanUse { "clicks": Used; "campaigns": Used; "offers": Used; "landers": Used; "domains": Used; "webhooks": Used }
export interface PointAnswer { "ok": boolean; "provider": string; "message": string; "detail": string; "certificate": CertificateAnswer | null; "note": string }
export interface PostbackLog { "range": Range; "rows": (PostbackRow)[]; "sampled": boolean }
export interface PostbackRedelivered { "id": string; "told": boolean; "http_status": number | null; "error": string | null }
export interface PostbackReplayed { "id": string; "result": string }
export interface PostbackRow { "id": string; "direction": string; "at": string; "decided_at": string | null; "result": string; "reason": string; "sample": boolean; "network_id": string | null; "network_name": string; "campaign_id": string | null; "campaign_name": string; "click_id": string | null; "conversion_id": string | null; "invalid_payout": string | null; "query": string; "source": string; "domain": string; "ip": string; "sent": SentPostback | null }
export interface PostbacksReplayed { "range": Range; "replayed": number; "dry_run": boolean; "outcomes": (ReplayOutcome)[] }
export interface PredictedRow { "to": string; "campaign_id": string; "campaign_name": string | null; "stream_id": string | null; "stream_name": string | null; "lander_id": string | null; "lander_name": string | null; "offer_id": string | null; "offer_name": string | null; "clicks": number; "share": number; "was": number }
export interface Protection { "enabled": boolean; "mode": string; "ttlSeconds": number; "bindIp": boolean; "bindUserAgent": boolean; "singleUse": boolean; "blockBots": boolean; "countries": (string)[]; "denyCountries": (string)[]; "devices": (string)[]; "referrers": (string)[]; "fallbackUrl": string; "fallbackStatus": number }
export interface ProtectionBody { "enabled"?: boolean | null; "mode"?: string | null; "ttlSeconds"?: number | null; "bindIp"?: boolean | null; "bindUserAgent"?: boolean | null; "singleUse"?: boolean | null; "blockBots"?: boolean | null; "countries"?: (string)[] | null; "denyCountries"?: (string)[] | null; "devices"?: (string)[] | null; "referrers"?: (string)[] | null; "fallbackUrl"?: string | null; "fallbackStatus"?: number | null }
export interface Range { "from": string; "to": string }
export interface RecordedChange { "id": string; "at": string; "by": string; "who": string; "operation": string; "kind": string; "record_id": string | null; "record": string | null; "campaign_id": string | null; "fields": (string)[]; "title": string | null; "undone_at": string | null }
export interface RecoveryCodes { "codes": (string)[] }
export interface RedeliverBody { "webhook"?: string | null }
export interface RedeliveredAll { "range": Range; "requeued": number }
export interface RepeatIPRow { "ip": string; "hits": number; "bot_clicks": number; "visitors": number; "user_agents": number; "campaigns": number; "sources": number; "country": string; "isp": string; "first_seen": string; "last_seen": string }
export interface RepeatIPs { "range": Range; "min_hits": number; "of": string; "rows": (RepeatIPRow)[] }
export interface ReplayBody { "network"?: string | null; "dry_run"?: boolean }
export interface ReplayOutcome { "id": string; "result": string; "reason": string; "click_id": string | null }
export interface ReportingClickRow { "range": Range; "rows": (ClickRow)[] }
export interface ReportingConversionRow { "range": Range; "rows": (ConversionRow)[] }
export interface ReportingSmartlinkClickRow { "range": Range; "rows": (SmartlinkClickRow)[] }
export interface Response { "status": number; "body": string }
export interface RoleBody { "role": string }
export interface RouteDecision { "via": string; "campaign_id": string; "path_id": string | null; "path": string; "action": string; "transition": string; "lander_id": string | null; "offer_id": string | null; "url": string; "recorded": boolean }
export interface RouteStage { "campaign_id": string; "campaign": string; "via": string; "steps": (RouteStep)[] }
export interface RouteStep { "path_id": string; "path": string; "via": string; "taken": boolean; "reason": string | null; "logic": string; "units": (RouteUnit)[] }
export interface RouteUnit { "rule": string; "matched": boolean; "conditions": (Finding)[] }
export interface Routing { "range": Range; "campaigns": (RoutingCampaign)[] }
export interface RoutingCampaign { "id": string; "name": string; "alias": string; "url": string; "status": string; "flow_rotation": string; "bind_visitors": string; "fallback_url": string; "destination_url": string; "rules": (RoutingRule)[]; "paths": (RoutingPath)[]; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null }
export interface RoutingDestination { "kind": string; "id": string | null; "name": string; "url": string; "status": string | null; "weight": number; "slot": number | null }
export interface RoutingPath { "id": string; "name": string; "stream_type": string; "action": string; "transition": string; "rule_group": number; "weight": number; "daily_cap": number | null; "is_active": boolean; "logic": string; "filters": (Condition)[]; "rules": (string)[]; "campaign_id": string | null; "destinations": (RoutingDestination)[]; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null }
export interface RoutingRule { "name": string; "rule_id"?: string; "logic"?: string; "conditions"?: (Condition)[]; "path_ids": (string)[] }
export interface RuleAnswer { "id": string; "name": string; "notes": string; "logic": string; "conditions": (Condition)[]; "created_at": string; "updated_at": string; "condition_count": number }
export interface RuleBody { "name": string; "notes"?: string | null; "logic"?: string | null; "conditions": (Condition)[] }
export interface RulePut { "id": string; "name": string; "conditions": (Condition)[]; "logic": string | null; "notes": string | null }
export interface RuleRef { "name": string; "rule_id"?: string; "logic"?: string; "conditions"?: (Condition)[] }
export interface RunItem { "of": string; "outcome": string; "why": string; "change_id": string | null; "figures": (Figure)[] }
export interface RunSummary { "at": string; "from": string; "to": string; "outcome": string; "looked": number; "matched": number; "done": number; "cut": boolean }
export interface SavedFlowAnswer { "id": string; "name": string; "country": string; "group": string; "tags": (string)[]; "notes": string; "paths": (Path)[]; "status": string; "created_at": string; "updated_at": string; "group_name": string; "rule_count": number; "path_count": number; "destination_count": number }
export interface SavedFlowBody { "name": string; "paths": Json; "country"?: string; "group_name"?: string | null; "group"?: string | null; "tags"?: (string)[]; "notes"?: string }
export interface SavedFlowPut { "id": string; "name": string; "paths": Json; "country"?: string; "group_name"?: string | null; "group"?: string | null; "tags"?: (string)[]; "notes"?: string }
export interface SavedTemplates { "saved": number; "skipped": number; "rows": (NetworkTemplateRow)[] }
export interface SentPostback { "source_id": string; "source_name": string; "conversion_reference": string; "goal": string; "status": string; "payout": number; "currency": string; "method": string; "url": string; "body": string; "http_status": number | null; "answer": string; "attempts": number; "tries": (SentTry)[]; "last_attempt_at": string | null; "next_attempt_at": string | null; "told_at": string | null }
export interface SentRequest { "method": string; "url": string; "body": string }
export interface SentTry { "at": string; "http_status": number | null; "error": string; "ms": number }
export interface SessionList { "rows": (SessionRow)[] }
export interface SessionRow { "id": string; "address": string; "agent": string; "created_at": string; "seen_at": string; "current": boolean }
export interface Settings { "organizationName": string; "currency": string; "timezone": string; "dateFormat": string; "timeFormat": string; "jobId": string | null; "siteKey": string }
export interface SettingsBody { "currency"?: string | null; "timezone"?: string; "date_format"?: string; "time_format"?: string; "organization_name"?: string | null }
export interface SettingsChanged { "organizationName": string; "currency": string; "timezone": string; "dateFormat": string; "timeFormat": string; "jobId": string | null }
export interface SharedDomainRow { "id": string; "domain": string; "is_default": boolean }
export interface SignInBody { "email": string; "password": string; "code"?: string }
export interface SignedIn { "account_id": string }
export interface SimulateBody { "campaign_id"?: string; "streams"?: Json; "flow_rotation"?: string; "bind_visitors"?: string; "fallback_url"?: string; "destination_url"?: string; "click_id"?: string; "visitor"?: Json; "at"?: string; "seed"?: number | null; "draws"?: number; "bound_path_id"?: string; "bound_lander_id"?: string; "bound_offer_id"?: string }
export interface Simulated { "seed": number; "decision": RouteDecision | null; "campaigns": (RouteStage)[]; "distribution"?: (DrawnWay)[] }
export interface Site { "id": string; "name": string; "kind": string; "domain": string; "currency": string; "revenueFrom": string; "isActive": boolean; "createdAt": string; "updatedAt": string }
export interface SiteAnswer { "site": Site }
export interface SiteBody { "name": string; "domain"?: string; "currency"?: string; "kind"?: string; "revenueFrom"?: string; "isActive"?: boolean | null; "seedGoals"?: boolean }
export interface SiteDeleted { "deleted": boolean; "campaigns": number }
export interface SiteList { "sites": (Site)[] }
export interface SitePut { "id": string; "name": string; "domain"?: string; "currency"?: string; "kind"?: string; "revenueFrom"?: string; "isActive"?: boolean | null }
export interface SmartlinkAnswer { "id": string; "slug": string; "destination_url": string; "domain_id": string; "source_id": string | null; "name": string; "notes": string; "is_active": boolean; "domain": string; "clicks": number; "created_at": string; "updated_at": string; "source_name": string | null; "rules": (SmartlinkRuleAnswer)[]; "rule_count": number; "url": string; "status": string; "last_click_at": string | null }
export interface SmartlinkBody { "slug": string; "destination_url": string; "domain_id": string; "source_id"?: string | null; "rules"?: (SmartlinkRuleBody)[]; "name"?: string; "notes"?: string; "is_active"?: boolean | null }
export interface SmartlinkBrief { "id": string; "name": string; "slug": string }
export interface SmartlinkCleared { "id": string; "range": Range; "clicks": number; "bot_clicks": number }
export interface SmartlinkClickRow { "click_id": string; "at": string; "link_id": string; "link_name": string; "slug": string; "rule_id": string | null; "destination_url": string; "destination": string; "domain": string; "source_id": string | null; "external_id": string; "params": string; "sub1": string; "sub2": string; "sub3": string; "sub4": string; "sub5": string; "sub6": string; "sub7": string; "sub8": string; "sub9": string; "sub10": string; "ip": string; "country": string; "region": string; "city": string; "language": string; "isp": string; "asn": number | null; "mobile_operator": string; "connection_type": string; "proxy_kind": string; "device_type": string; "device_brand": string; "device_model": string; "os": string; "os_version": string; "browser": string; "browser_version": string; "user_agent": string; "referrer": string; "referrer_domain": string; "keyword": string; "search_engine": string; "is_bot": boolean; "bot_score": number; "bot_reason": string }
export interface SmartlinkCopied { "id": string; "slug": string; "name": string; "domain": string; "url": string; "status": string; "rules": number }
export interface SmartlinkDestination { "destination_url": string; "clicks": number; "bot_clicks": number }
export interface SmartlinkPut { "id": string; "slug": string; "destination_url": string; "domain_id": string; "source_id"?: string | null; "rules"?: (SmartlinkRuleBody)[]; "name"?: string; "notes"?: string; "is_active"?: boolean | null }
export interface SmartlinkRuleAnswer { "id": string; "name": string; "logic": string; "conditions": (Condition)[]; "destination_url": string; "position": number }
export interface SmartlinkRuleBody { "id"?: string; "name"?: string; "position"?: number | null; "logic"?: string; "conditions": (Condition)[]; "destination_url"?: string; "url"?: string }
export interface SmartlinkRuleFigures { "rule_id": string | null; "name": string; "clicks": number; "bot_clicks": number }
export interface SmartlinkStats { "link": SmartlinkBrief; "range": Range; "clicks": number; "bot_clicks": number; "rules": (SmartlinkRuleFigures)[]; "destinations": (SmartlinkDestination)[] }
export interface Source { "platform": string; "name": string; "external_id_param": string; "external_id_macro": string; "cost_param": string; "cost_macro": string; "cost_model": string; "token_macros": Record<string, string>; "postback_url": string }
export interface SourceAnswer { "id": string; "name": string; "token_macros": Record<string, string>; "cost_param": string; "cost_macro": string; "external_id_param": string; "external_id_macro": string; "cost_model": string; "notes": string; "traffic_loss_pct": number; "group_name": string; "tags": (string)[]; "platform": string; "postback_url": string; "postback_method": string; "postback_statuses": (string)[]; "postback_goals": (GoalPostback)[]; "send_payout_pct": number; "status": string; "created_at": string; "updated_at": string; "postback_example": string }
export interface SourceCreate { "name"?: string; "token_macros"?: Record<string, string>; "cost_param"?: string; "cost_macro"?: string; "external_id_param"?: string; "external_id_macro"?: string; "cost_model"?: string; "notes"?: string; "traffic_loss_pct"?: number; "group_name"?: string; "tags"?: (string)[]; "platform"?: string; "postback_url"?: string; "postback_method"?: string; "postback_statuses"?: (string)[]; "postback_goals"?: (GoalPostback)[]; "send_payout_pct"?: number }
export interface SourceIntegration { "configured": boolean; "provider": string | null; "is_enabled": boolean; "cost_endpoint": CostEndpoint | null; "credentials": Record<string, string>; "oauth_connection_id": string | null; "campaign_param": string; "conversion_action": string; "conversion_statuses": (string)[]; "conversions_enabled": boolean; "mode": string | null; "daily_cap_count": number; "daily_cap_value": number; "uploads": SourceUploads | null; "currency": string | null; "time_zone": string | null; "last_sync_at": string | null; "last_checked_at": string | null; "last_status": string | null; "last_error": string | null; "next_sync_at": string | null; "runs": (IntegrationRun)[]; "click_loss": (ClickLossDay)[]; "providers": (SourceProviderForm)[]; "encryption_available": boolean }
export interface SourceIntegrationBody { "provider": string; "cost_endpoint"?: CostEndpoint | null; "credentials"?: Record<string, string>; "credentials_clear"?: (string)[]; "is_enabled"?: boolean | null; "oauth_connection_id"?: string | null; "campaign_param"?: string | null; "conversion_action"?: string | null; "conversion_statuses"?: (string)[]; "conversions_enabled"?: boolean | null; "mode"?: string | null; "daily_cap_count"?: number | null; "daily_cap_value"?: number | null }
export interface SourceIntegrationDeleted { "id": string; "deleted": boolean }
export interface SourceIntegrationSaved { "id": string; "saved": boolean }
export interface SourceProviderForm { "provider": string; "label": string; "sign_in": boolean; "cost": boolean; "conversions": boolean; "endpoint": boolean; "fields": (CredentialFieldShown)[] }
export interface SourcePut { "id": string; "token_macros"?: Record<string, string>; "cost_param"?: string; "cost_macro"?: string; "external_id_param"?: string; "external_id_macro"?: string; "cost_model"?: string; "notes"?: string; "traffic_loss_pct"?: number; "group_name"?: string; "tags"?: (string)[]; "platform"?: string; "postback_url"?: string; "postback_method"?: string; "postback_statuses"?: (string)[]; "postback_goals"?: (GoalPostback)[]; "send_payout_pct"?: number; "name": string }
export interface SourceRow { "id": string; "name": string; "token_macros": Record<string, string>; "cost_param": string; "cost_macro": string; "external_id_param": string; "external_id_macro": string; "cost_model": string; "notes": string; "traffic_loss_pct": number; "group_name": string; "tags": (string)[]; "platform": string; "postback_url": string; "postback_method": string; "postback_statuses": (string)[]; "postback_goals": (GoalPostback)[]; "send_payout_pct": number; "status": string; "created_at": string; "updated_at": string; "postback_example": string; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "click_loss": ClickLoss | null }
export interface SourceRun { "action": string; "ok": boolean; "provider": string; "message": string; "detail": string | null; "range": DayRange; "rows": number; "matched": number; "changed": number; "spend": number; "currency": string | null; "time_zone": string | null }
export interface SourceRunBody { "action"?: string; "from"?: string; "to"?: string }
export interface SourceTemplateRows { "rows": (Source)[] }
export interface SourceUpload { "id": string; "click_id": string; "conversion_id": string; "goal": string; "status": string; "action": string; "value": number; "currency": string; "happened_at": string; "result": string; "reason": string; "attempts": number; "decided_at": string | null; "created_at": string }
export interface SourceUploads { "accepted": number; "rejected": number; "shadow": number; "skipped": number; "pending": number; "ready_at": string | null; "stopped": string | null; "stopped_at": string | null; "last_error": string | null; "rows": (SourceUpload)[] }
export interface StatusAnswer { "id": string; "status": string }
export interface SyncBody { "from": string; "to": string; "apply"?: boolean }
export interface Team { "rows": (MemberRow)[]; "links": (LinkRow)[] }
export interface TestClickBody { "url"?: string; "ip"?: string; "user_agent"?: string; "language"?: string; "referrer"?: string }
export interface TestOffer { "slot": number; "offer_id": string | null; "offer": string; "url": string }
export interface TestParam { "name": string; "value": string; "field": string | null }
export interface TestPostbackBody { "url"?: string; "click_id"?: string; "payout"?: string; "status"?: string; "conversion_id"?: string; "goal"?: string; "currency"?: string }
export interface TestRead { "external_id": string; "cost": number; "currency": string; "params": (TestParam)[]; "country": string; "device_type": string; "os": string; "browser": string; "is_bot": boolean; "bot_score": number; "bot_reason": string }
export interface TestStep { "step": string; "ok": boolean; "detail": string }
export interface TestedClick { "test": boolean; "url": string; "steps": (TestStep)[]; "click": TestRead | null; "decision": RouteDecision | null; "campaigns": (RouteStage)[]; "http_status": number; "destination": string; "offers": (TestOffer)[] }
export interface TestedConversion { "click_id": string; "conversion_id": string; "goal": string; "status": string; "payout": number; "currency": string; "campaign_id": string; "is_new": boolean }
export interface TestedPostback { "test": boolean; "params": Record<string, string>; "steps": (TestStep)[]; "result": string; "conversion": TestedConversion | null }
export interface Timeseries { "range": Range; "tz": string; "points": (DayPoint)[] }
export interface ToggleBody { "id": string; "is_active": boolean | null }
export interface TrendRow { "bucket": string; "start": string | null; "clicks": number; "unique_clicks": number; "bot_clicks": number; "lp_views": number; "lp_clicks": number; "lp_ctr": number | null; "conversions": number; "approved": number; "pending": number; "rejected": number; "chargebacks": number; "cr": number | null; "cost": number; "revenue": number; "pending_revenue": number; "profit": number; "roi": number | null; "epc": number | null; "cpc": number | null; "cpa": number | null; "approve_rate": number | null; "click_loss": ClickLoss | null }
export interface Trends { "range": Range; "bucket": string; "tz": string; "filters": (DimensionFilter)[]; "rows": (TrendRow)[] }
export interface TriedSource { "test": boolean; "click_id": string; "wanted": boolean; "told": boolean; "request": SentRequest; "http_status": number | null; "answer": string; "error": string | null; "ms": number }
export interface TrySourceBody { "click_id"?: string; "status"?: string; "payout"?: number; "conversion_id"?: string; "goal"?: string }
export interface UseLinkBody { "token": string; "name"?: string; "password"?: string; "code"?: string }
export interface Used { "used": number; "limit": number | null }
export interface User { "kind": string; "id": string; "name": string; "status": string }
export interface V1CampaignRow { "range": Range; "rows": (CampaignRow)[]; "next_cursor": string | null }
export interface V1CopilotRule { "rows": (CopilotRule)[]; "next_cursor": string | null }
export interface V1CopilotRuleRun { "rows": (CopilotRuleRun)[]; "next_cursor": string | null }
export interface V1LanderRow { "range": Range; "rows": (LanderRow)[]; "next_cursor": string | null }
export interface V1OfferRow { "range": Range; "rows": (OfferRow)[]; "next_cursor": string | null }
export interface V1RuleAnswer { "rows": (RuleAnswer)[]; "next_cursor": string | null }
export interface V1SavedFlowAnswer { "rows": (SavedFlowAnswer)[]; "next_cursor": string | null }
export interface V1SmartlinkAnswer { "rows": (SmartlinkAnswer)[]; "next_cursor": string | null }
export interface V1SourceRow { "range": Range; "rows": (SourceRow)[]; "next_cursor": string | null }
export interface Value { "value": string; "clicks": number; "bot_clicks": number }
export interface Values { "dimension": string; "values": (Value)[]; "labels": Record<string, string> }
export interface VerifyAnswer { "id": string; "domain": string; "expected": string; "verified": boolean; "points": boolean | null; "detail": string; "https": boolean | null; "records": (string)[]; "proof": string | null; "checked_at": string | null }
export interface ViewBody { "name": string; "shared"?: boolean; "report": ViewReport }
export interface ViewFilter { "dimension": string; "values": (string)[]; "not": boolean }
export interface ViewList { "rows": (ViewRow)[]; "default": string | null }
export interface ViewPatch { "name"?: string | null; "shared"?: boolean | null; "report"?: ViewReport | null }
export interface ViewReport { "group": (string)[]; "filters": (ViewFilter)[]; "columns": (string)[]; "sort": string; "flat": boolean; "min_clicks": number }
export interface ViewRow { "id": string; "name": string; "shared": boolean; "author": string; "mine": boolean; "may_change": boolean; "report": ViewReport; "updated_at": string }
export interface WebhookAnswer { "id": string; "name": string; "url": string; "events": (string)[]; "active": boolean }
export interface WebhookBody { "url": string; "events": (string)[]; "name"?: string }
export interface WebhookCount { "total": number; "pending": number; "delivered": number; "failed": number; "lastAt": string | null }
export interface WebhookCreated { "id": string; "name": string; "url": string; "events": (string)[]; "active": boolean; "createdAt": string; "secret": string }
export interface WebhookList { "planIncludes": boolean; "events": (string)[]; "rows": (WebhookRow)[] }
export interface WebhookPatch { "id": string; "url"?: string | null; "events"?: (string)[] | null; "name"?: string | null; "active"?: boolean | null }
export interface WebhookRedelivered { "id": string; "delivered": boolean; "status": number | null; "error": string | null }
export interface WebhookRotated { "id": string; "secret": string; "oldSecretUntil": string }
export interface WebhookRow { "id": string; "name": string; "url": string; "events": (string)[]; "active": boolean; "createdAt": string; "failingSince": string | null; "consecutiveFailures": number; "oldSecretUntil": string | null; "deliveries": WebhookCount }
export interface WebhookTested { "deliveryId": string; "delivered": boolean; "status": number | null; "error": string | null }
export interface Weight { "id": string; "weight": number }
export interface Workplace { "id": string; "name": string; "role": string }
export interface ZonesOfAccount { "id": string; "provider": string; "label": string; "ok": boolean; "error": string | null; "zones": (string)[] }
export interface ZonesOfAccounts { "accounts": (ZonesOfAccount)[] }
export interface Calls {
  "GET /campaigns/activity": { query: { "alias"?: string }; path: {  }; body: undefined; answer: CampaignActivity; codes: "no_alias" }
  "GET /campaigns/arrivals": { query: { "alias"?: string; "days"?: number | string }; path: {  }; body: undefined; answer: Arrivals; codes: never }
  "GET /campaigns/{id}/funnel": { query: { "days"?: number | string; "by"?: string }; path: { id: string }; body: undefined; answer: Funnel; codes: "not_found" }
  "GET /campaigns/{id}/changes": { query: { "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: { id: string }; body: undefined; answer: AnswerRecordedChange; codes: "invalid_id" | "not_found" }
  "DELETE /campaigns/{id}/stats": { query: { "from"?: string; "to"?: string }; path: { id: string }; body: undefined; answer: ClearedStats; codes: "invalid_id" | "not_found" }
  "GET /tools/routing": { query: { "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Routing; codes: never }
  "POST /tools/simulate": { query: {  }; path: {  }; body: SimulateBody; answer: Simulated; codes: "destination_required" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_attribute" | "invalid_bind_visitors" | "invalid_cap" | "invalid_destination" | "invalid_destination_url" | "invalid_fallback_url" | "invalid_filter" | "invalid_flow_rotation" | "invalid_id" | "invalid_rule_group" | "invalid_stream_type" | "invalid_time" | "invalid_transition" | "lander_required" | "multiple_defaults" | "no_streams" | "not_found" | "plan_limit" | "zero_path_weights" | "zero_weights" }
  "POST /campaigns/{id}/flow/replay": { query: { "from"?: string; "to"?: string }; path: { id: string }; body: FlowReplayBody; answer: FlowReplayed; codes: "destination_required" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_bind_visitors" | "invalid_cap" | "invalid_destination" | "invalid_destination_url" | "invalid_fallback_url" | "invalid_filter" | "invalid_flow_rotation" | "invalid_id" | "invalid_rule_group" | "invalid_stream_type" | "invalid_transition" | "lander_required" | "multiple_defaults" | "no_streams" | "not_found" | "zero_path_weights" | "zero_weights" }
  "POST /campaigns/{id}/test-click": { query: {  }; path: { id: string }; body: TestClickBody; answer: TestedClick; codes: "invalid_id" | "invalid_url" | "not_found" | "too_long" }
  "GET /campaigns/{id}/flow": { query: {  }; path: { id: string }; body: undefined; answer: FlowAnswer; codes: "invalid_id" | "not_found" }
  "PUT /campaigns/{id}/flow": { query: {  }; path: { id: string }; body: FlowBody; answer: FlowAnswer; codes: "destination_required" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_cap" | "invalid_destination" | "invalid_destination_url" | "invalid_filter" | "invalid_id" | "invalid_rule_group" | "invalid_stream_type" | "invalid_transition" | "lander_required" | "multiple_defaults" | "no_streams" | "not_found" | "stale" | "zero_path_weights" | "zero_weights" }
  "PATCH /campaigns/{id}/flow": { query: {  }; path: { id: string }; body: PathPatch; answer: FlowAnswer; codes: "invalid_cap" | "invalid_destination" | "invalid_id" | "no_fields" | "not_found" | "required" | "stale" | "zero_path_weights" | "zero_weights" }
  "GET /campaigns": { query: { "q"?: string; "sort"?: string; "status"?: string; "group"?: string; "tag"?: string; "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1CampaignRow; codes: never }
  "POST /campaigns": { query: {  }; path: {  }; body: CampaignBody; answer: CampaignCreated; codes: "alias_taken" | "buyer_only" | "destination_required" | "duplicate_name" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_alias" | "invalid_bind_visitors" | "invalid_cap" | "invalid_cost_model" | "invalid_cost_value" | "invalid_country" | "invalid_currency" | "invalid_destination" | "invalid_destination_url" | "invalid_domain" | "invalid_fallback_url" | "invalid_filter" | "invalid_flow" | "invalid_flow_rotation" | "invalid_goal_key" | "invalid_mode" | "invalid_rule_group" | "invalid_site" | "invalid_source" | "invalid_status" | "invalid_stream_type" | "invalid_traffic_loss" | "invalid_transition" | "invalid_uniqueness_method" | "invalid_uniqueness_param" | "invalid_uniqueness_ttl" | "lander_required" | "multiple_defaults" | "name_required" | "no_streams" | "plan_limit" | "uniqueness_param_required" | "zero_path_weights" | "zero_weights" }
  "GET /campaigns/{id}": { query: {  }; path: { id: string }; body: undefined; answer: CampaignDetail; codes: "invalid_id" | "not_found" }
  "PATCH /campaigns/{id}": { query: {  }; path: { id: string }; body: CampaignPatch; answer: CampaignBrief; codes: "alias_taken" | "duplicate_name" | "invalid_alias" | "invalid_bind_visitors" | "invalid_cost_model" | "invalid_cost_value" | "invalid_country" | "invalid_currency" | "invalid_destination_url" | "invalid_domain" | "invalid_fallback_url" | "invalid_flow_rotation" | "invalid_goal_key" | "invalid_id" | "invalid_mode" | "invalid_site" | "invalid_source" | "invalid_status" | "invalid_traffic_loss" | "invalid_uniqueness_method" | "invalid_uniqueness_param" | "invalid_uniqueness_ttl" | "name_required" | "no_fields" | "not_found" | "plan_limit" | "shared_alias" | "stale" | "too_long" | "uniqueness_param_required" }
  "DELETE /campaigns/{id}": { query: {  }; path: { id: string }; body: undefined; answer: DeletedUsed; codes: "invalid_id" | "not_found" }
  "POST /campaigns/{id}/clone": { query: {  }; path: { id: string }; body: undefined; answer: CampaignCloned; codes: "destination_required" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_cap" | "invalid_destination" | "invalid_destination_url" | "invalid_domain" | "invalid_filter" | "invalid_id" | "invalid_rule_group" | "invalid_stream_type" | "invalid_transition" | "lander_required" | "multiple_defaults" | "no_streams" | "not_found" | "plan_limit" | "zero_path_weights" | "zero_weights" }
  "GET /campaigns/{id}/stats": { query: { "from"?: string; "to"?: string }; path: { id: string }; body: undefined; answer: CampaignStats; codes: "invalid_id" }
  "GET /groups": { query: { "scope"?: string }; path: {  }; body: undefined; answer: GroupNames; codes: "invalid_scope" }
  "GET /flows": { query: { "q"?: string; "sort"?: string; "status"?: string; "group"?: string; "tag"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1SavedFlowAnswer; codes: never }
  "POST /flows": { query: {  }; path: {  }; body: SavedFlowBody; answer: SavedFlowAnswer; codes: "destination_required" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_cap" | "invalid_country" | "invalid_destination" | "invalid_destination_url" | "invalid_filter" | "invalid_rule_group" | "invalid_stream_type" | "invalid_transition" | "lander_required" | "multiple_defaults" | "no_streams" | "required" | "too_long" | "zero_path_weights" | "zero_weights" }
  "PUT /flows": { query: {  }; path: {  }; body: SavedFlowPut; answer: SavedFlowAnswer; codes: "destination_required" | "duplicate_path_name" | "duplicate_rule_name" | "invalid_action" | "invalid_cap" | "invalid_country" | "invalid_destination" | "invalid_destination_url" | "invalid_filter" | "invalid_id" | "invalid_rule_group" | "invalid_stream_type" | "invalid_transition" | "lander_required" | "multiple_defaults" | "no_streams" | "not_found" | "required" | "too_long" | "zero_path_weights" | "zero_weights" }
  "PATCH /flows": { query: {  }; path: {  }; body: ToggleBody; answer: StatusAnswer; codes: "invalid_id" | "invalid_status" | "not_found" }
  "DELETE /flows": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "GET /rules": { query: { "q"?: string; "sort"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1RuleAnswer; codes: never }
  "POST /rules": { query: {  }; path: {  }; body: RuleBody; answer: RuleAnswer; codes: "duplicate_name" | "invalid_condition" | "no_conditions" | "required" | "too_long" }
  "PUT /rules": { query: {  }; path: {  }; body: RulePut; answer: RuleAnswer; codes: "duplicate_name" | "invalid_condition" | "invalid_id" | "no_conditions" | "not_found" | "required" | "too_long" }
  "DELETE /rules": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedUsed; codes: "invalid_id" | "not_found" }
  "GET /offers": { query: { "q"?: string; "sort"?: string; "status"?: string; "group"?: string; "tag"?: string; "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1OfferRow; codes: never }
  "POST /offers": { query: {  }; path: {  }; body: OfferBody; answer: OfferAnswer; codes: "duplicate_name" | "invalid_country" | "invalid_network" | "invalid_number" | "invalid_url" | "out_of_range" | "required" | "too_long" }
  "PUT /offers": { query: {  }; path: {  }; body: OfferPut; answer: OfferAnswer; codes: "duplicate_name" | "invalid_country" | "invalid_id" | "invalid_network" | "invalid_number" | "invalid_url" | "not_found" | "out_of_range" | "required" | "too_long" }
  "PATCH /offers": { query: {  }; path: {  }; body: ToggleBody; answer: StatusAnswer; codes: "duplicate_name" | "invalid_id" | "invalid_status" | "not_found" | "plan_limit" }
  "DELETE /offers": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeactivatedUsed; codes: "invalid_id" | "not_found" }
  "POST /offers/{id}/clone": { query: {  }; path: { id: string }; body: undefined; answer: OfferAnswer; codes: "invalid_id" | "not_found" }
  "GET /landers": { query: { "q"?: string; "sort"?: string; "status"?: string; "group"?: string; "tag"?: string; "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1LanderRow; codes: never }
  "POST /landers": { query: {  }; path: {  }; body: LanderBody; answer: LanderAnswer; codes: "duplicate_name" | "invalid_country" | "invalid_number" | "invalid_url" | "out_of_range" | "required" | "too_long" }
  "PUT /landers": { query: {  }; path: {  }; body: LanderPut; answer: IDAnswer; codes: "duplicate_name" | "invalid_country" | "invalid_id" | "invalid_number" | "invalid_url" | "not_found" | "out_of_range" | "required" | "too_long" }
  "PATCH /landers": { query: {  }; path: {  }; body: LanderPatch; answer: LanderPatchAnswer; codes: "duplicate_name" | "invalid_fallback" | "invalid_id" | "not_found" | "plan_limit" }
  "DELETE /landers": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeactivatedUsed; codes: "invalid_id" | "not_found" }
  "POST /landers/{id}/clone": { query: {  }; path: { id: string }; body: undefined; answer: LanderAnswer; codes: "invalid_id" | "not_found" }
  "GET /traffic-sources": { query: { "q"?: string; "sort"?: string; "status"?: string; "group"?: string; "tag"?: string; "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1SourceRow; codes: never }
  "POST /traffic-sources": { query: {  }; path: {  }; body: SourceCreate; answer: SourceAnswer; codes: "duplicate_name" | "invalid_number" | "invalid_url" | "invalid_value" | "out_of_range" | "plan_limit" | "required" | "too_long" }
  "PUT /traffic-sources": { query: {  }; path: {  }; body: SourcePut; answer: IDAnswer; codes: "duplicate_name" | "invalid_id" | "invalid_number" | "invalid_url" | "invalid_value" | "not_found" | "out_of_range" | "plan_limit" | "required" | "too_long" }
  "PATCH /traffic-sources": { query: {  }; path: {  }; body: ToggleBody; answer: StatusAnswer; codes: "duplicate_name" | "invalid_id" | "invalid_status" | "not_found" | "plan_limit" }
  "DELETE /traffic-sources": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeactivatedUsed; codes: "invalid_id" | "not_found" }
  "POST /traffic-sources/{id}/test-postback": { query: {  }; path: { id: string }; body: TrySourceBody; answer: TriedSource; codes: "invalid_id" | "invalid_number" | "invalid_value" | "no_click" | "no_url" | "not_found" | "out_of_range" | "too_long" }
  "GET /traffic-sources/{id}/integration/conversion-actions": { query: {  }; path: { id: string }; body: undefined; answer: ConversionActions; codes: "credentials" | "invalid_id" | "no_account_id" | "no_customer_id" | "not_configured" | "not_connected" | "not_platform_ab" | "platform_a_refused" | "platform_b_refused" }
  "POST /traffic-sources/{id}/integration/conversion-actions": { query: {  }; path: { id: string }; body: ConversionActionBody; answer: ConversionAction; codes: "credentials" | "invalid_id" | "no_account_id" | "no_customer_id" | "not_configured" | "not_connected" | "not_platform_ab" | "platform_a_refused" | "platform_b_refused" }
  "GET /traffic-sources/{id}/integration": { query: {  }; path: { id: string }; body: undefined; answer: SourceIntegration; codes: "invalid_id" | "not_found" }
  "PUT /traffic-sources/{id}/integration": { query: {  }; path: { id: string }; body: SourceIntegrationBody; answer: SourceIntegrationSaved; codes: "choose_connection" | "invalid_capi_token" | "invalid_conversion_action" | "invalid_id" | "invalid_pixel_id" | "invalid_provider" | "no_capi_credentials" | "no_conversion_action" | "no_encryption_key" | "no_url" | "not_connected" | "not_found" }
  "POST /traffic-sources/{id}/integration": { query: {  }; path: { id: string }; body: SourceRunBody; answer: SourceRun; codes: "invalid_id" | "no_url" | "not_configured" | "not_found" }
  "DELETE /traffic-sources/{id}/integration": { query: {  }; path: { id: string }; body: undefined; answer: SourceIntegrationDeleted; codes: "invalid_id" | "not_found" }
  "GET /networks": { query: { "q"?: string; "sort"?: string; "status"?: string; "group"?: string; "tag"?: string; "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: NetworkRows; codes: never }
  "POST /networks": { query: {  }; path: {  }; body: NetworkCreate; answer: NetworkAnswer; codes: "duplicate_name" | "invalid_number" | "invalid_template" | "invalid_url" | "out_of_range" | "plan_limit" | "required" | "too_long" }
  "POST /networks/{id}/test-postback": { query: {  }; path: { id: string }; body: TestPostbackBody; answer: TestedPostback; codes: "invalid_id" | "invalid_url" | "not_found" | "too_long" }
  "PUT /networks": { query: {  }; path: {  }; body: NetworkPut; answer: NetworkAnswer; codes: "duplicate_name" | "invalid_id" | "invalid_number" | "invalid_url" | "not_found" | "out_of_range" | "plan_limit" | "required" | "too_long" }
  "PATCH /networks": { query: {  }; path: {  }; body: ToggleBody; answer: StatusAnswer; codes: "duplicate_name" | "invalid_id" | "invalid_status" | "not_found" | "plan_limit" }
  "DELETE /networks": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeactivatedUsed; codes: "invalid_id" | "not_found" }
  "GET /networks/{id}/integration": { query: {  }; path: { id: string }; body: undefined; answer: NetworkIntegration; codes: "not_found" }
  "PUT /networks/{id}/integration": { query: {  }; path: { id: string }; body: NetworkIntegrationBody; answer: NetworkIntegrationSaved; codes: "invalid_credentials" | "no_encryption_key" | "not_found" | "unknown_provider" }
  "DELETE /networks/{id}/integration": { query: {  }; path: { id: string }; body: undefined; answer: Disconnected; codes: "not_found" }
  "POST /networks/{id}/integration/sync": { query: {  }; path: { id: string }; body: SyncBody; answer: NetworkSynced; codes: "bad_range" | "network_error" | "not_connected" | "not_found" | "too_many" }
  "POST /networks/{id}/integration/test": { query: {  }; path: { id: string }; body: undefined; answer: NetworkTested; codes: "not_connected" | "not_found" }
  "GET /network-templates": { query: {  }; path: {  }; body: undefined; answer: NetworkTemplateRows; codes: never }
  "POST /network-templates": { query: {  }; path: {  }; body: NetworkTemplatesBody; answer: SavedTemplates; codes: "empty" | "invalid_template" | "too_many" }
  "DELETE /network-templates": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "GET /traffic-source-templates": { query: {  }; path: {  }; body: undefined; answer: SourceTemplateRows; codes: never }
  "GET /short-links": { query: { "q"?: string; "sort"?: string; "status"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1SmartlinkAnswer; codes: never }
  "POST /short-links": { query: {  }; path: {  }; body: SmartlinkBody; answer: SmartlinkAnswer; codes: "duplicate_name" | "duplicate_slug" | "invalid_condition" | "invalid_domain" | "invalid_number" | "invalid_rule_url" | "invalid_slug" | "invalid_source" | "invalid_url" | "no_conditions" | "out_of_range" | "required" | "too_long" }
  "PUT /short-links": { query: {  }; path: {  }; body: SmartlinkPut; answer: SmartlinkAnswer; codes: "duplicate_name" | "duplicate_slug" | "invalid_condition" | "invalid_domain" | "invalid_id" | "invalid_number" | "invalid_rule_url" | "invalid_slug" | "invalid_source" | "invalid_url" | "no_conditions" | "not_found" | "out_of_range" | "required" | "too_long" }
  "PATCH /short-links": { query: {  }; path: {  }; body: ToggleBody; answer: IDAnswer; codes: "invalid_id" | "invalid_status" | "not_found" }
  "DELETE /short-links": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "POST /short-links/{id}/clone": { query: {  }; path: { id: string }; body: undefined; answer: SmartlinkCopied; codes: "invalid_id" | "not_found" }
  "GET /short-links/{id}/stats": { query: { "from"?: string; "to"?: string }; path: { id: string }; body: undefined; answer: SmartlinkStats; codes: "not_found" }
  "DELETE /short-links/{id}/stats": { query: { "from"?: string; "to"?: string }; path: { id: string }; body: undefined; answer: SmartlinkCleared; codes: "not_found" }
  "GET /domains": { query: { "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: DomainList; codes: never }
  "POST /domains": { query: {  }; path: {  }; body: DomainBody; answer: DomainAdded; codes: "dns_account_not_found" | "duplicate" | "invalid_dns_account" | "invalid_domain" | "invalid_index_page" | "plan_limit" | "required" | "reserved_domain" | "shared_domain" | "too_long" | "too_many" }
  "PATCH /domains": { query: {  }; path: {  }; body: DomainPatch; answer: DomainChanged; codes: "domain_unsafe" | "invalid_id" | "invalid_index_page" | "not_found" }
  "DELETE /domains": { query: { "id"?: string }; path: {  }; body: undefined; answer: DomainDeleted; codes: "domain_in_use" | "invalid_id" | "not_found" }
  "POST /domains/{id}/certificate": { query: {  }; path: { id: string }; body: undefined; answer: CertificateAnswer; codes: "edge_*" | "edge_not_configured" | "invalid_id" | "not_found" }
  "GET /domains/{id}/certificate": { query: {  }; path: { id: string }; body: undefined; answer: CertificateAnswer; codes: "edge_*" | "edge_not_configured" | "invalid_id" | "not_found" }
  "DELETE /domains/{id}/certificate": { query: {  }; path: { id: string }; body: undefined; answer: CertificateDeleted; codes: "edge_*" | "edge_not_configured" | "invalid_id" | "not_found" }
  "POST /domains/{id}/point": { query: {  }; path: { id: string }; body: undefined; answer: PointAnswer; codes: "no_provider" | "not_found" }
  "POST /domains/{id}/verify": { query: {  }; path: { id: string }; body: undefined; answer: VerifyAnswer; codes: "invalid_id" | "not_found" | "tracking_domain_unset" }
  "GET /bot-lists": { query: { "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: BotEntryList; codes: never }
  "POST /bot-lists": { query: {  }; path: {  }; body: BotEntryBody; answer: BotEntryAnswer; codes: "invalid_attribute" | "invalid_campaign" | "invalid_list_type" | "invalid_operator" | "invalid_regex" | "plan_limit" | "too_long" | "value_required" }
  "DELETE /bot-lists": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "GET /sites": { query: {  }; path: {  }; body: undefined; answer: SiteList; codes: never }
  "POST /sites": { query: {  }; path: {  }; body: SiteBody; answer: SiteAnswer; codes: "duplicate_name" | "invalid" | "plan_limit" }
  "PUT /sites": { query: {  }; path: {  }; body: SitePut; answer: SiteAnswer; codes: "duplicate_name" | "invalid" | "no_id" | "not_found" }
  "DELETE /sites": { query: { "id"?: string }; path: {  }; body: undefined; answer: SiteDeleted; codes: "no_id" }
  "POST /sites/lead": { query: {  }; path: {  }; body: undefined; answer: SiteAnswer; codes: "plan_limit" }
  "GET /goals": { query: { "site"?: string }; path: {  }; body: undefined; answer: GoalList; codes: never }
  "PUT /goals": { query: {  }; path: {  }; body: GoalBody; answer: GoalAnswer; codes: "bad_goal_shape" | "bad_key" | "duplicate_name" | "no_site" | "no_value" | "plan_limit" }
  "POST /goals": { query: {  }; path: {  }; body: undefined; answer: GoalSecret; codes: never }
  "DELETE /goals": { query: { "key"?: string; "site"?: string }; path: {  }; body: undefined; answer: GoalDeleted; codes: "no_key" | "no_site" }
  "GET /goals/landers": { query: {  }; path: {  }; body: undefined; answer: LeadCampaigns; codes: never }
  "GET /bot-detection": { query: {  }; path: {  }; body: undefined; answer: BotDetection; codes: never }
  "PUT /bot-detection": { query: {  }; path: {  }; body: BotDetectionBody; answer: BotDetectionChanged; codes: never }
  "GET /geo-database": { query: {  }; path: {  }; body: undefined; answer: GeoDatabase; codes: never }
  "PUT /geo-database": { query: {  }; path: {  }; body: GeoDatabaseBody; answer: GeoDatabaseSaved; codes: "invalid_key" | "invalid_provider" | "key_refused" | "key_required" | "network_error" | "no_encryption_key" | "plan_limit" }
  "DELETE /geo-database": { query: {  }; path: {  }; body: undefined; answer: Disconnected; codes: never }
  "GET /integrations": { query: {  }; path: {  }; body: undefined; answer: IntegrationList; codes: never }
  "PUT /integrations": { query: {  }; path: {  }; body: IntegrationBody; answer: IntegrationSaved; codes: "invalid_credentials" | "invalid_id" | "no_encryption_key" | "not_found" | "too_many" | "unknown_provider" }
  "DELETE /integrations": { query: { "id"?: string }; path: {  }; body: undefined; answer: Disconnected; codes: "invalid_id" | "not_found" }
  "POST /integrations/test": { query: {  }; path: {  }; body: DNSAccountID; answer: IntegrationTested; codes: "invalid_id" | "not_connected" }
  "GET /integrations/zones": { query: {  }; path: {  }; body: undefined; answer: ZonesOfAccounts; codes: never }
  "GET /oauth/connections": { query: {  }; path: {  }; body: undefined; answer: OAuthList; codes: never }
  "DELETE /oauth/connections": { query: { "id"?: string }; path: {  }; body: undefined; answer: Disconnected; codes: "invalid_id" | "not_found" }
  "POST /oauth/{provider}/connect": { query: {  }; path: { provider: string }; body: undefined; answer: OAuthStart; codes: "no_encryption_key" | "not_configured" | "too_many" | "unsupported" }
  "GET /oauth/{provider}/accounts": { query: { "connection"?: string }; path: { provider: string }; body: undefined; answer: AdAccounts; codes: "credentials" | "not_configured" | "not_connected" | "platform_a_refused" | "platform_b_refused" | "platform_c_refused" | "unsupported" }
  "GET /edge": { query: {  }; path: {  }; body: undefined; answer: EdgeAnswer; codes: never }
  "POST /edge": { query: {  }; path: {  }; body: undefined; answer: EdgePublished; codes: never }
  "GET /webhooks": { query: {  }; path: {  }; body: undefined; answer: WebhookList; codes: never }
  "POST /webhooks": { query: {  }; path: {  }; body: WebhookBody; answer: WebhookCreated; codes: "invalid_events" | "invalid_url" | "no_encryption_key" | "too_many" }
  "PATCH /webhooks": { query: {  }; path: {  }; body: WebhookPatch; answer: WebhookAnswer; codes: "invalid_events" | "invalid_id" | "invalid_status" | "invalid_url" | "no_fields" | "not_found" }
  "DELETE /webhooks": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "POST /webhooks/test": { query: {  }; path: {  }; body: ID; answer: WebhookTested; codes: "invalid_id" | "not_found" }
  "GET /webhooks/deliveries": { query: { "webhook"?: string; "status"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: DeliveryList; codes: "invalid_id" | "invalid_status" }
  "POST /webhooks/deliveries/redeliver": { query: {  }; path: {  }; body: ID; answer: WebhookRedelivered; codes: "in_progress" | "invalid_id" | "not_found" }
  "POST /webhooks/rotate": { query: {  }; path: {  }; body: ID; answer: WebhookRotated; codes: "invalid_id" | "no_encryption_key" | "not_found" }
  "POST /webhooks/deliveries/redeliver-failed": { query: { "from"?: string; "to"?: string }; path: {  }; body: RedeliverBody; answer: RedeliveredAll; codes: "invalid_id" | "not_found" }
  "GET /alerts": { query: {  }; path: {  }; body: undefined; answer: AlertList; codes: never }
  "GET /alerts/channels": { query: {  }; path: {  }; body: undefined; answer: AlertChannelList; codes: never }
  "POST /alerts/channels": { query: {  }; path: {  }; body: AlertChannelBody; answer: AlertChannelShown; codes: "invalid_credentials" | "invalid_url" | "no_encryption_key" | "not_configured" | "too_many" | "unknown_kind" }
  "PATCH /alerts/channels": { query: {  }; path: {  }; body: AlertChannelPatch; answer: AlertChannelShown; codes: "invalid_id" | "no_fields" | "not_found" }
  "DELETE /alerts/channels": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "POST /alerts/channels/confirm": { query: {  }; path: {  }; body: AlertChannelCode; answer: AlertChannelConfirmed; codes: "invalid_code" | "invalid_id" | "not_found" }
  "POST /alerts/channels/test": { query: {  }; path: {  }; body: AlertChannelID; answer: AlertTested; codes: "invalid_id" | "not_confirmed" | "not_found" }
  "POST /tools/check-links": { query: {  }; path: {  }; body: LinkBody; answer: LinkChecked; codes: "invalid_id" | "not_found" | "required" }
  "GET /copilot/ai": { query: {  }; path: {  }; body: undefined; answer: AIConnection; codes: never }
  "POST /copilot/ai": { query: {  }; path: {  }; body: AIBody; answer: AIActed; codes: "ai_error" | "invalid" | "not_configured" }
  "DELETE /copilot/ai": { query: {  }; path: {  }; body: undefined; answer: AIRemoved; codes: never }
  "GET /copilot/chat": { query: {  }; path: {  }; body: undefined; answer: ChatState; codes: never }
  "POST /copilot/chat": { query: {  }; path: {  }; body: ChatBody; answer: ChatAnswer; codes: "ai_error" | "invalid" }
  "GET /plan": { query: {  }; path: {  }; body: undefined; answer: PlanAnswer; codes: never }
  "GET /plan/usage": { query: {  }; path: {  }; body: undefined; answer: PlanUsageAnswer; codes: never }
  "GET /copilot": { query: { "count"?: string }; path: {  }; body: undefined; answer: CopilotAnswer; codes: never }
  "POST /copilot": { query: {  }; path: {  }; body: CopilotBody; answer: CopilotActed; codes: "advice_only" | "already_undone" | "invalid" | "network" | "not_found" | "not_open" | "plan_required" | "stale" | "too_soon" }
  "GET /copilot/preview": { query: { "id"?: string; "variant"?: string }; path: {  }; body: undefined; answer: CopilotPreview; codes: "advice_only" | "invalid" | "invalid_id" | "not_found" }
  "GET /copilot/rules": { query: { "q"?: string; "sort"?: string; "status"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: V1CopilotRule; codes: never }
  "POST /copilot/rules": { query: {  }; path: {  }; body: CopilotRuleBody; answer: CopilotRule; codes: "invalid_condition" | "invalid_rule" | "invalid_scope" | "plan_required" | "required" | "too_long" }
  "PATCH /copilot/rules": { query: {  }; path: {  }; body: CopilotRulePatch; answer: CopilotRule; codes: "invalid_condition" | "invalid_id" | "invalid_rule" | "invalid_scope" | "no_fields" | "not_found" | "plan_required" | "required" | "too_long" }
  "DELETE /copilot/rules": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "GET /copilot/rules/{id}/runs": { query: { "limit"?: number | string; "cursor"?: string }; path: { id: string }; body: undefined; answer: V1CopilotRuleRun; codes: "invalid_id" | "not_found" }
  "POST /copilot/rules/replay": { query: {  }; path: {  }; body: CopilotRuleBody; answer: CopilotRuleReplay; codes: "invalid_condition" | "invalid_rule" | "invalid_scope" | "required" | "too_large" | "too_long" }
  "GET /settings": { query: {  }; path: {  }; body: undefined; answer: Settings; codes: never }
  "PATCH /settings": { query: {  }; path: {  }; body: SettingsBody; answer: SettingsChanged; codes: "busy" | "invalid_currency" | "invalid_timezone" | "not_found" | "rate_missing" }
  "GET /reports/performance": { query: { "dimension"?: string; "tz"?: string; "sort"?: string; "goal"?: string; "limit"?: number | string; "min_clicks"?: number | string; "compare"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Performance; codes: "invalid_dimension" }
  "GET /reports/trends": { query: { "bucket"?: string; "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Trends; codes: "invalid_bucket" | "invalid_dimension" }
  "GET /reports/values": { query: { "dimension"?: string; "limit"?: number | string; "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Values; codes: "invalid_dimension" }
  "GET /reports/orphaned": { query: { "totals_for"?: string; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Orphaned; codes: "invalid_id" }
  "DELETE /reports/orphaned": { query: {  }; path: {  }; body: OrphanedBody; answer: OrphanedCleared; codes: "invalid_request" | "not_orphaned" | "too_many" }
  "GET /reports/exports": { query: { "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: ExportList; codes: never }
  "POST /reports/exports": { query: { "from"?: string; "to"?: string }; path: {  }; body: ExportBody; answer: ExportAnswer; codes: "invalid_bucket" | "invalid_dimension" | "invalid_id" | "invalid_kind" | "not_found" | "too_large" }
  "DELETE /reports/exports": { query: { "id"?: string }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_found" }
  "GET /reports/exports/{id}": { query: {  }; path: { id: string }; body: undefined; answer: File; codes: "invalid_id" | "not_found" }
  "POST /corrections/conversions": { query: {  }; path: {  }; body: CorrectionBody; answer: ConversionCorrection; codes: "empty" | "no_rows" }
  "POST /corrections/cost": { query: {  }; path: {  }; body: CorrectionBody; answer: CostCorrection; codes: "empty" | "no_rows" }
  "GET /stats/overview": { query: { "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Overview; codes: "invalid_dimension" }
  "GET /stats/timeseries": { query: { "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Timeseries; codes: "invalid_dimension" }
  "GET /stats/hourly": { query: { "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined }; path: {  }; body: undefined; answer: Hourly; codes: "invalid_dimension" }
  "GET /stats/breakdown": { query: { "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: Breakdown; codes: never }
  "GET /stats/live": { query: { "minutes"?: number | string }; path: {  }; body: undefined; answer: Live; codes: never }
  "GET /logs/clicks": { query: { "limit"?: number | string; "offset"?: number | string; "converted"?: string; "click_id"?: string; "external_id"?: string; "conversion_id"?: string; "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: ReportingClickRow; codes: "invalid_dimension" | "invalid_id" }
  "GET /logs/clicks/{clickId}": { query: { "trace"?: string }; path: { clickId: string }; body: undefined; answer: ClickAnswer; codes: "invalid_id" | "not_found" | "plan_limit" }
  "GET /logs/conversions": { query: { "limit"?: number | string; "offset"?: number | string; "status"?: string; "click_id"?: string; "external_id"?: string; "conversion_id"?: string; "tz"?: string; [of: `f.${string}`]: string | string[] | number | undefined; [of: `x.${string}`]: string | string[] | number | undefined; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: ReportingConversionRow; codes: "invalid_dimension" | "invalid_id" }
  "GET /logs/repeat-ips": { query: { "min_hits"?: number | string; "limit"?: number | string; "campaign"?: string; "source"?: string; "link"?: string; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: RepeatIPs; codes: "invalid_id" | "not_found" }
  "GET /logs/smartlink-clicks": { query: { "limit"?: number | string; "offset"?: number | string; "link"?: string; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: ReportingSmartlinkClickRow; codes: "invalid_id" | "not_found" }
  "GET /logs/postbacks": { query: { "limit"?: number | string; "offset"?: number | string; "direction"?: string; "result"?: string; "network"?: string; "campaign"?: string; "click_id"?: string; "source"?: string; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: PostbackLog; codes: "invalid_id" }
  "GET /logs/postbacks/{id}": { query: {  }; path: { id: string }; body: undefined; answer: PostbackRow; codes: "invalid_id" | "not_found" }
  "POST /logs/postbacks/{id}/replay": { query: {  }; path: { id: string }; body: undefined; answer: PostbackReplayed; codes: "in_progress" | "invalid_id" | "not_found" }
  "POST /logs/postbacks/replay": { query: { "from"?: string; "to"?: string }; path: {  }; body: ReplayBody; answer: PostbacksReplayed; codes: "invalid_id" | "not_found" }
  "POST /logs/postbacks/{id}/redeliver": { query: {  }; path: { id: string }; body: undefined; answer: PostbackRedelivered; codes: "in_progress" | "invalid_id" | "no_url" | "not_found" | "too_old" }
  "GET /jobs": { query: {  }; path: {  }; body: undefined; answer: JobList; codes: never }
  "GET /jobs/{id}": { query: {  }; path: { id: string }; body: undefined; answer: JobAnswer; codes: "invalid_id" | "not_found" }
  "POST /app/api/session": { query: {  }; path: {  }; body: SignInBody; answer: SignedIn; codes: "bad_body" | "body_too_large" | "code_required" | "invalid_input" | "link_gone" | "not_found" | "required" | "too_long" | "unavailable" | "weak_password" | "wrong_sign_in" }
  "DELETE /app/api/session": { query: {  }; path: {  }; body: undefined; answer: DeletedAnswer; codes: "bad_body" | "body_too_large" | "invalid_input" | "link_gone" | "not_found" | "required" | "too_long" | "unavailable" | "weak_password" }
  "POST /app/api/links/look": { query: {  }; path: {  }; body: LinkBody2; answer: LinkShown; codes: "bad_body" | "body_too_large" | "invalid_input" | "link_gone" | "not_found" | "required" | "too_long" | "unavailable" | "weak_password" }
  "POST /app/api/links/use": { query: {  }; path: {  }; body: UseLinkBody; answer: SignedIn; codes: "bad_body" | "body_too_large" | "code_required" | "invalid_input" | "last_owner" | "link_gone" | "not_found" | "required" | "too_long" | "unavailable" | "weak_password" | "wrong_sign_in" }
  "GET /app/api/session": { query: {  }; path: {  }; body: undefined; answer: Me; codes: never }
  "POST /app/api/session/confirm": { query: {  }; path: {  }; body: ConfirmBody; answer: SignedIn; codes: "code_required" | "wrong_sign_in" }
  "POST /app/api/session/account": { query: {  }; path: {  }; body: MoveBody; answer: SignedIn; codes: "not_found" }
  "GET /app/api/sessions": { query: {  }; path: {  }; body: undefined; answer: SessionList; codes: never }
  "DELETE /app/api/sessions/{id}": { query: {  }; path: { id: string }; body: undefined; answer: DeletedAnswer; codes: "not_found" }
  "DELETE /app/api/sessions": { query: {  }; path: {  }; body: undefined; answer: DeletedAnswer; codes: never }
  "PATCH /app/api/me": { query: {  }; path: {  }; body: MeBody; answer: Me; codes: "required" | "too_long" }
  "POST /app/api/me/password": { query: {  }; path: {  }; body: PasswordBody; answer: SignedIn; codes: "weak_password" }
  "POST /app/api/me/totp": { query: {  }; path: {  }; body: undefined; answer: NewTOTP; codes: never }
  "PUT /app/api/me/totp": { query: {  }; path: {  }; body: CodeBody; answer: RecoveryCodes; codes: "not_found" | "wrong_code" }
  "DELETE /app/api/me/totp": { query: {  }; path: {  }; body: undefined; answer: DeletedAnswer; codes: never }
  "GET /app/api/team": { query: {  }; path: {  }; body: undefined; answer: Team; codes: never }
  "POST /app/api/team": { query: {  }; path: {  }; body: InviteBody; answer: Invitation; codes: "invalid_email" | "invalid_role" | "required" | "too_long" | "too_many" }
  "PATCH /app/api/team/{id}": { query: {  }; path: { id: string }; body: RoleBody; answer: DeletedAnswer; codes: "invalid_role" | "last_owner" | "not_found" }
  "DELETE /app/api/team/{id}": { query: {  }; path: { id: string }; body: undefined; answer: DeletedAnswer; codes: "last_owner" | "not_found" }
  "DELETE /app/api/team/links/{id}": { query: {  }; path: { id: string }; body: undefined; answer: DeletedAnswer; codes: "not_found" }
  "GET /app/api/keys": { query: {  }; path: {  }; body: undefined; answer: KeyList; codes: never }
  "POST /app/api/keys": { query: {  }; path: {  }; body: KeyBody; answer: KeyRow; codes: "invalid_expiry" | "invalid_scope" | "required" | "too_long" }
  "POST /app/api/keys/{id}/rotate": { query: {  }; path: { id: string }; body: undefined; answer: KeyRow; codes: "not_active" | "not_found" }
  "DELETE /app/api/keys/{id}": { query: {  }; path: { id: string }; body: undefined; answer: KeyRow; codes: "not_found" }
  "GET /app/api/audit": { query: { "who"?: string; "what"?: string; "from"?: string; "to"?: string; "limit"?: number | string; "cursor"?: string }; path: {  }; body: undefined; answer: AuditList; codes: "invalid_id" | "too_long" }
  "GET /app/api/views": { query: {  }; path: {  }; body: undefined; answer: ViewList; codes: never }
  "POST /app/api/views": { query: {  }; path: {  }; body: ViewBody; answer: ViewRow; codes: "duplicate_name" | "invalid_view" | "required" | "role_required" | "too_long" | "too_many" }
  "PATCH /app/api/views/{id}": { query: {  }; path: { id: string }; body: ViewPatch; answer: ViewRow; codes: "duplicate_name" | "invalid_id" | "invalid_view" | "no_fields" | "not_author" | "not_found" | "required" | "role_required" | "too_long" | "too_many" }
  "DELETE /app/api/views/{id}": { query: {  }; path: { id: string }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_author" | "not_found" }
  "PUT /app/api/views/default": { query: {  }; path: {  }; body: DefaultViewBody; answer: DefaultView; codes: "not_found" }
  "GET /app/api/marks": { query: { "campaign"?: string; "from"?: string; "to"?: string }; path: {  }; body: undefined; answer: MarkList; codes: "invalid_id" }
  "POST /app/api/notes": { query: {  }; path: {  }; body: NoteBody; answer: NoteRow; codes: "invalid_campaign" | "invalid_date" | "required" | "too_long" | "too_many" }
  "PUT /app/api/notes/{id}": { query: {  }; path: { id: string }; body: NoteBody; answer: NoteRow; codes: "invalid_campaign" | "invalid_date" | "invalid_id" | "not_author" | "not_found" | "required" | "too_long" }
  "DELETE /app/api/notes/{id}": { query: {  }; path: { id: string }; body: undefined; answer: DeletedAnswer; codes: "invalid_id" | "not_author" | "not_found" }
  "POST /app/api/oauth/{provider}": { query: {  }; path: { provider: string }; body: undefined; answer: OAuthBegun; codes: "no_encryption_key" | "not_configured" | "too_many" | "unsupported" }
  "POST /app/api/oauth": { query: {  }; path: {  }; body: OauthBody; answer: OAuthEnded; codes: "no_encryption_key" | "not_configured" | "required" | "signin_expired" | "signin_refused" | "too_long" | "too_many" }
}
