/** Beginnings and endings of English words; they come first, so longer words are made of them. */
export const PIECES = list(`
th he in er an on re at en or ar st nd is it es te le al se ed ou as to ha de me ve ll ly om ur ch sh ck ge
ing ion ent ers est and for ter ate ver con com pro per ive ity ous ble able ment ness tion ation ance ence
ight ound ough pre dis un ex im ist ize ful less ical ally ture sion port form ress
`);

/** Common English words, and those that questions about a state are made of. */
export const WORDS = list(`
the of to and in is it you that he was for on are with as his they at be this from have or by one had not but
what all were when we there can an your which their said if do will each about how up out them then she many
some so these would other into has more her two like him see time could no make than first been its who now
people my made over did down only way find use may water long little very after words called just where most
know get through back much before go good new write our used me man too any day same right look think also
around another came come work three word must because does part even place well such here take why things
help put years different away again off went old number great tell men say small every found still between
name should home big give air line set own under read last never us left end along while might next sound
below saw something thought both few those always looked show large often together asked house world going
want school important until form food keep children feet land side without boy once animals life enough took
sometimes four head above kind began almost live page got earth need far hand high year mother light parts
country father let night following picture being study second eyes soon times story boys since white days
ever paper hard near sentence better best across during today others however sure means knew try told young
miles sun ways thing whole hear example heard several change answer room sea against top turned three learn
point city play toward five using himself usually money seen car morning given order red door open problem
close true false yes none level state text value item list count total price late early fast slow safe risk
question questions option options choice choose score context label correct letter description instructions
message customer user model system image images data table report account email phone address payment refund
invoice delivery shipping product service support request response error issue status urgent normal low
medium high positive negative neutral language english spam topic category billing technical sales cancel
return complaint feedback review rating fraud approve reject pending active closed agent team manager company
business market bank card contract legal policy security password login website server network update version
release install device screen battery button click page file document record date week month hour minute
please thank thanks hello sorry great good bad happy angry broken missing wrong works working received sent
arrived ordered never need wants asks says said get got
`);

/** Words that also start with a capital letter. */
export const CAPITALISED = list(`
the this that a an i it is are was in on at to of for and but or if not no yes we you he she they my your our
what when where which who why how please thank thanks hello dear order question questions option options
answer context state image images return only correct letter label text message customer user system each
one two first last new there here can could will would should do does have has true false none score choice
`);

/** Signs that stand together in prose and in JSON. No sign is joined to a letter. */
export const SIGNS = ['":', '",', '{"', '"}', '["', '"]', '...', '--', '://', '()', '),', ').', '==', '."'];

/** Letters and signs outside ASCII that have a token of their own; everything else falls back to bytes. */
export const OTHER_CHARACTERS = [...'äöüßÄÖÜéèêáàâíóôúçñøåœæ€£°–—‘’“”…•→×©'];

function list(text: string): string[] {
  return [...new Set(text.trim().split(/\s+/))];
}
