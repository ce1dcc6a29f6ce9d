/**
 * Most used passwords of at least six characters, in lower case. Attempt limits make a short list
 * sufficient: an attacker only gets to try the most common ones.
 */
const commonPasswordList = `
  123456 1234567 12345678 123456789 1234567890 12345678910 0123456789 987654321 87654321 7654321 654321 0987654321
  9876543210 111111 1111111 11111111 111111111 1111111111 000000 0000000 00000000 000000000 222222 22222222 333333
  33333333 444444 555555 55555555 666666 66666666 777777 7777777 77777777 888888 88888888 999999 99999999 999999999
  112233 11223344 1122334455 121212 12121212 123123 123123123 12341234 123321 1234321 123454321 123654 123654789
  147258 147258369 159357 159753 789456 789456123 741852963 963852741 456789 131313 232323 696969 69696969 101010
  10101010 102030 10203040 19871987 20002000 20202020 20212021 20222022 20232023 20242024 20252025 123qwe 123qweasd
  123qweasdzxc 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 zaq12wsx zaq1zaq1 zaq1xsw2
  q1w2e3 q1w2e3r4 q1w2e3r4t5 qwe123 qwe12345 qweqwe qweasd qweasdzxc qwer1234 qwerty qwerty1 qwerty12 qwerty123
  qwerty1234 qwerty12345 qwerty123456 qwertyu qwertyui qwertyuiop qwertz qwertz123 azerty azerty123 azertyuiop asdasd
  asdasdasd asdf1234 asdfasdf asdfgh asdfghj asdfghjk asdfghjkl asd123 asdqwe123 zxcvbn zxcvbnm zxcvbnm123 zxczxc
  zxc123 poiuytrewq lkjhgfdsa mnbvcxz qazwsx qazwsxedc qazqaz 1234qwer 12345qwert 12qwaszx abc123 abc1234 abc12345
  abcd123 abcd1234 abcd12345 abcdef abcdefg abcdefgh abcabc aabbcc aaaaaa aaaaaaaa aaa111 a12345 a123456 a1234567
  a12345678 a123456789 a1b2c3 a1b2c3d4 a1s2d3f4 aa123456 aa12345678 as123456 zz123456 qq123456 q123456 q12345678
  x123456 z123456 1a2b3c4d 12345a 123456a 1234567a 12345678a 123456789a 123456q 123456abc 123abc 123asd 1234abcd
  12345abc 12345678q 123456qwerty 123456789q 147896325 password password! password1 password1! password12 password123
  password123! password1234 password12345 password2 password2024 password2025 passw0rd passw0rd1 p@ssword p@ssword1
  p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@55w0rd pa55word pa55w0rd pass1234 pass12345 pass123 passpass passwort passwort1
  passwort123 motdepasse contraseña contrasena senha123 senha1234 parola wachtwoord haslo123 parool lozinka heslo123
  mypassword thepassword newpassword nopassword yourpassword passcode passphrase mypass123 admin1 admin12 admin123
  admin1234 admin12345 admin123456 admin@123 adminadmin administrator administrador rootroot root123 root1234 toor1234
  superuser superadmin sysadmin user123 user1234 username usuario guest123 guest1234 test123 test1234 test12345
  test123456 testtest tester testing testing1 testing123 testpass temp1234 temppass temporary demo1234 demodemo
  demo123 default default1 default123 login123 login1234 letmein letmein1 letmein123 letmein! openme opensesame access
  access14 access123 welcome welcome! welcome1 welcome1! welcome12 welcome123 welcome1234 welcome@123 welcome2024
  welcome2025 changeme changeme1 changeme123 changeit secret secret1 secret12 secret123 secret1234 topsecret mysecret
  secure123 security security1 private internet internet1 computer computer1 laptop1 samsung samsung1 samsung123
  iphone android google google1 google123 facebook facebook1 twitter linkedin linkedin1 instagram youtube amazon
  microsoft windows windows1 windows10 linux123 ubuntu apple123 yahoo123 hotmail hotmail1 gmail123 whatever whatever1
  blahblah nothing something anything forever forever1 forever21 iloveyou iloveyou! iloveyou1 iloveyou12 iloveyou123
  iloveyou2 iloveu ilovegod iloveme iloveme1 ilovehim ilovemyself loveyou loveyou1 loveme loveme1 lovelove lovely
  lovely1 lovers love123 love1234 love12345 mylove mylove1 truelove babygirl babygirl1 baby123 babyboy babydoll
  princess princess1 princess12 princesa queen123 sweety sweetie sweetheart honey123 angel1 angel123 angels angelo
  beautiful beautiful1 butterfly butterfly1 sunshine sunshine1 sunshine123 sunflower flower flower1 flowers rainbow
  rainbow1 summer summer1 summer12 summer123 summer2024 summer2025 winter winter1 winter123 winter2024 winter2025
  spring123 spring2024 spring2025 autumn autumn123 autumn2024 autumn2025 january february april123 august december
  november october september monday friday monday1 holiday christmas birthday monkey monkey1 monkey12 monkey123
  monkeys dragon dragon1 dragon12 dragon123 tiger1 tiger123 tigers tigger tigger1 kitten kitty123 doggie puppy123
  puppies fluffy snoopy snowball panther panthers eagles1 eagles falcon falcons cowboys cowboys1 steelers redsox
  redsox1 yankees yankees1 lakers lakers24 chelsea chelsea1 arsenal arsenal1 arsenal123 liverpool liverpool1
  liverpool123 barcelona barcelona1 realmadrid juventus manchester manutd everton rangers rangers1 celtic celtic1
  benfica galatasaray fenerbahce football football1 football12 football123 baseball baseball1 baseball12 basketball
  basketball1 soccer soccer1 soccer12 soccer123 hockey hockey1 softball volleyball tennis golfer golfing fishing
  fishing1 hunter hunter1 hunter2 ranger racing ferrari ferrari1 porsche mercedes mercedes1 corvette mustang mustang1
  camaro toyota honda123 yamaha yamaha1 kawasaki harley harley1 batman batman1 batman123 superman superman1
  superman123 spiderman spiderman1 ironman ironman1 avengers hulk123 joker123 starwars starwars1 startrek skywalker
  yoda123 jedi1234 matrix matrix1 gandalf hobbit frodo123 harrypotter hogwarts pokemon pokemon1 pokemon123 pikachu
  pikachu1 charizard naruto naruto1 naruto123 sasuke goku123 dragonball mickey mickey1 minnie disney disney1 barbie
  barbie1 hellokitty nintendo playstation xbox360 minecraft minecraft1 roblox roblox123 fortnite fortnite1 warcraft
  diablo starcraft counter callofduty killer killer1 killer123 ninja123 pirate pirates phoenix phoenix1 shadow shadow1
  shadow12 shadow123 master master1 master12 master123 maverick wizard wizard1 magic123 merlin merlin1 genius legend
  legend1 warrior warrior1 warriors soldier soldier1 sniper sniper1 hacker hacker1 hacker123 cookie cookie1 cookies
  cookies1 chocolate chocolate1 cheese cheese1 pepper pepper1 ginger ginger1 banana banana1 orange orange1 purple
  purple1 yellow yellow1 silver silver1 golden golden1 diamond diamond1 crystal crystal1 freedom freedom1 liberty
  destiny destiny1 hannah hannah1 jasmine jasmine1 jessica jessica1 jennifer jennifer1 michelle michelle1 michael
  michael1 michael123 jordan jordan1 jordan23 jordan123 joshua joshua1 andrew andrew1 daniel daniel1 daniel123 matthew
  matthew1 anthony anthony1 charlie charlie1 charlie123 thomas thomas1 george george1 robert robert1 william william1
  richard richard1 nicholas nicole nicole1 ashley ashley1 amanda amanda1 samantha samantha1 elizabeth elizabeth1
  victoria victoria1 natasha vanessa vanessa1 alexander alexander1 alexandra alexis1 alexis sebastian benjamin
  benjamin1 patrick patrick1 brandon brandon1 justin justin1 tyler123 buster buster1 bailey bailey1 maggie maggie1
  sophie sophie1 chester chester1 rocky123 oliver oliver1 oscar123 maxwell martin1 martin gabriel gabriel1 samuel
  samuel1 marina carolina fernando alejandro roberto eduardo ricardo francisco cristian andrea andrea1 trustno1
  trustnoone fuckyou fuckyou1 fuckyou123 fuckoff fuckme asshole asshole1 bitch123 bullshit pussy123 bigdick blowme
  blowjob sexy123 sexsex hottie hottie1 playboy playboy1 money123 money1 moneymoney million millionaire dollar dollars
  bitcoin bitcoin1 bitcoin123 ethereum ethereum1 crypto123 cryptocurrency blockchain hodl1234 tothemoon wallet123
  metamask trader123 trading trading1 trading123 market123 marketwatch alert123 alerts123 tocsin123 tocsin1234
  invest123 investor portfolio satoshi satoshi1 nakamoto dogecoin solana123 binance binance1 binance123 coinbase
  coinbase1 london london1 london123 newyork newyork1 paris123 berlin berlin1 berlin123 america america1 england
  england1 england123 germany germany1 france123 canada canada1 mexico mexico1 brasil brasil123 india123 pakistan
  pakistan1 pakistan123 indonesia russia russia123 turkey123 china123 japan123 australia australia1 jesus1 jesus123
  jesuschrist jesus777 god12345 christ1 blessed blessed1 heaven heaven1 bismillah bismillah1 allahuakbar krishna
  shalom1 peace123 hello1 hello12 hello123 hello1234 hello12345 hellohello helloworld helloworld1 hithere goodluck
  lucky123 lucky7 lucky777 happy1 happy123 happyday smile123 smiley family family1 family123 friends friends1
  friendship mother mother1 mommy123 daddy123 daddysgirl father sister sister1 brother brother1 school school1 student
  student1 student123 teacher teacher1 college doctor123 office123 company1 company123 business manager manager1
  manager123 service1 support1 support123 server123 database oracle123 mysql123 postgres cisco123 network1 system123
  backup123 p@ssword123 pass@123 pass@1234 qwerty!@# qwerty@123 !qaz2wsx 1qaz@wsx zaq!2wsx !@#$%^ !@#$%^&* !@#$%^&*()
  abc@123 abc@1234 abcd@1234 india@123 admin@1234 test@123 test@1234 user@123 root@123 welcome@1 hello@123 asdf@1234
  qwer@1234 letmein@123 changeme! changeme!1 temp@123 guest@123 trustno1! correcthorsebatterystaple
`

export const commonPasswords: ReadonlySet<string> = new Set(commonPasswordList.trim().split(/\s+/))
