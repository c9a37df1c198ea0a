// Made of the attributes of clicks by the API's tests (-run TestTypes -update). Do not edit.

export const blockable: string[] = ["sub1","sub2","sub3","sub4","sub5","sub6","sub7","sub8","sub9","sub10","country","region","city","language","isp","asn","mobile_operator","connection_type","proxy_kind","device_type","device_brand","device_model","os","os_version","browser","browser_version","referrer","referrer_domain","keyword","search_engine"]
