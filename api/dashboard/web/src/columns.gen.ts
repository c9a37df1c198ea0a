// Made of the columns of corrections by the API's tests (-run TestTypes -update). Do not edit.

export interface FileColumn { name: string; required: boolean; names: string[] }
export const conversionColumns: FileColumn[] = [{"name":"click id","required":true,"names":["clickid","click","cid","clid","subid","affsub","cnvid","cfclickid","uclick","visitid","externalclickid","clickref","trackingid"]},
{"name":"payout","required":false,"names":["payout","revenue","amount","sum","commission","earnings","income","payment","value","price"]},
{"name":"status","required":false,"names":["status","conversionstatus","cnvstatus","leadstatus","orderstatus","st"]},
{"name":"currency","required":false,"names":["currency","payoutcurrency","currencycode","conversioncurrency","cnvcurrency","cur"]},
{"name":"conversion id","required":false,"names":["conversionid","conversion","convid","txid","tid","transactionid","transaction","orderid","order","ordernumber","actionid","leadid","saleid"]},
{"name":"time","required":false,"names":["time","recordedat","conversiontime","conversiondate","eventtime","datetime","date","timestamp","createdat","created","day"]},
{"name":"goal","required":false,"names":["goal","goalkey","goalname","event","eventname","eventtype","conversiontype","et","ct","type"]}]

export const costColumns: FileColumn[] = [{"name":"day","required":true,"names":["day","date","reportdate","statdate","statsdate","reportingdate","dt","gregoriandate","stattimeday","byday","timeperiod","datestart","reportingstarts","startdate","time"]},
{"name":"source","required":true,"names":["sourceid","source","trafficsourceid","trafficsource","sourcename","trafficsourcename","adnetwork","channel"]},
{"name":"spend","required":true,"names":["spend","cost","amountspent","spent","adspend","totalspend","totalcost","amount","expense","expenses","mediacost","budgetspent","spending","money"]},
{"name":"campaign","required":false,"names":["campaignid","campaign","campaignname","campaignalias","adcampaign"]},
{"name":"currency","required":false,"names":["currency","currencycode","costcurrency","spendcurrency","accountcurrency","cur"]},
{"name":"clicks","required":false,"names":["clicks","linkclicks","clicksall","visits"]},
{"name":"impressions","required":false,"names":["impressions","impr","imps","views","shows"]},
{"name":"last day","required":false,"names":["reportingends","datestop","dateend","enddate","dateendperiod"]}]

export const offerColumns: FileColumn[] = [{"name":"name","required":true,"names":["name","offer","offername","title"]},
{"name":"url","required":true,"names":["url","offerurl","link","destination","destinationurl","targeturl","trackinglink","trackingurl"]},
{"name":"network","required":false,"names":["network","affiliatenetwork","networkname","advertiser"]},
{"name":"payout","required":false,"names":["payout","revenue","amount","rate","commission","price"]},
{"name":"payout_type","required":false,"names":["payouttype","type"]},
{"name":"currency","required":false,"names":["currency","payoutcurrency","cur"]},
{"name":"country","required":false,"names":["country","geo","countrycode"]},
{"name":"daily_cap","required":false,"names":["dailycap","cap"]},
{"name":"group","required":false,"names":["group","groupname","category","vertical"]},
{"name":"tags","required":false,"names":["tags","tag","labels"]},
{"name":"notes","required":false,"names":["notes","note","description","comment"]}]

export const linkColumns: FileColumn[] = [{"name":"slug","required":true,"names":["slug","alias","path","short","shortcode","keyword","backhalf"]},
{"name":"destination_url","required":true,"names":["destinationurl","destination","url","target","targeturl","longurl","link"]},
{"name":"domain","required":false,"names":["domain","shortdomain","host"]},
{"name":"source","required":false,"names":["source","trafficsource","sourcename"]},
{"name":"name","required":false,"names":["name","title","label"]},
{"name":"notes","required":false,"names":["notes","note","description","comment"]}]

export const postbackNames: Record<string, string[]> = {"click_id":["clickid","cid","click_id","subid","cnv_id","clid","aff_sub","cf_click_id","uclick"],"conversion_id":["conversion_id","txid","tid","transaction_id","transactionid","orderid","order_id","action_id"],"currency":["currency","cnv_currency","cur"],"goal":["goal","et","event","type","ct","event_name"],"payout":["payout","revenue","sum","amount"],"status":["status","cnv_status","st"]}
