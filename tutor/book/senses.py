"""Plain words that mean the same, in all languages: what a question says beside the terms of its game.

Who asks "must I?", "do I have to?" or "devo?" asks the same thing. Terms are in the glossary; these are not
explained to anybody. Each is given by beginnings; one that ends in a full stop is a whole word.
"""

from collections.abc import Mapping
from functools import lru_cache

from tutor.book.stems import KEPT, fold

_LISTED: Mapping[str, Mapping[str, str]] = {
    "must": {
        "it": "deve. devi. devo. devono. dobbiamo. dovere. obblig forza. costrett",
        "pl": "musi. musisz. musze. musza. musimy. trzeba. obowiaz przymus konieczn zmusz",
        "es": "debe. deben. debo. obliga tengo. tiene. tienes. hay. forzos",
        "en": "must. have. need. needs. has. forced. obliged. compulsory. mandatory. required.",
    },
    "own": {
        "it": "mia. mie. mio. miei. proprio. propria. proprie. propri. stesso. tua. tuo. tuoi. tue.",
        "pl": "moj moim. wlasn swoj swoim. swoich. twoj twoim.",
        "es": "mi. mia. mio. mis. propio. propia. propios. propias. tu. tus.",
        "en": "my. mine. own. your. myself. yourself.",
    },
    "others": {
        "it": "altri. altro. altra. altre. altrui. avversari rival qualcun",
        "pl": "inni. inny. innego. innych. innym. inna. pozostal reszt cudz przeciwnik rywal ktos. komus.",
        "es": "otro. otra. otros. otras. demas. rival ajen alguien. contrari",
        "en": "other. others. else. somebody. someone. another. opponent rival rest.",
    },
    "all": {
        "it": "tutti. tutte. tutto. tutta. ognuno. ciascun ogni.",
        "pl": "wszys kazd caly. cala. cale.",
        "es": "todo. todos. toda. todas. cada.",
        "en": "all. everyone. everybody. each. every. whole.",
    },
    "nobody": {
        "it": "nessun niente. nulla.",
        "pl": "nikt. nikogo. nikomu. nic. zadn niczego.",
        "es": "nadie. ningun nada.",
        "en": "nobody. noone. none. nothing. neither.",
    },
    "same": {
        "it": "stess uguale. uguali. identic",
        "pl": "sam. sama. same. samo. samej. samym. tyle. taki. identyczn rown",
        "es": "mism igual. iguales. identic",
        "en": "same. equal identical. equally.",
    },
    "together": {
        "it": "insieme. contemporan simultan entrambi. entrambe.",
        "pl": "razem. jednoczes naraz. wspoln obaj. oboje. obie. rownoczes",
        "es": "juntos. juntas. vez. simultan ambos. ambas.",
        "en": "together. simultan both. once.",
    },
    "first": {
        "it": "prim",
        "pl": "pierwsz",
        "es": "primer",
        "en": "first. 1st.",
    },
    "second": {
        "it": "second",
        "pl": "drug",
        "es": "segund",
        "en": "second. 2nd.",
    },
    "sixth": {
        "it": "sest 6a. 6ª.",
        "pl": "szost 6ty. 6-ty.",
        "es": "sext 6a. 6ª.",
        "en": "sixth. 6th.",
    },
    "last": {
        "it": "ultim",
        "pl": "ostatn",
        "es": "ultim",
        "en": "last. final",
    },
    "early": {
        "it": "prima. presto. anticip gia.",
        "pl": "wczesni przed. zanim. juz. najpierw.",
        "es": "antes. ya. pronto. temprano.",
        "en": "before. early. earlier. already. sooner.",
    },
    "late": {
        "it": "dopo. poi. tardi. successiv seguent",
        "pl": "potem. pozni nastepn kolejn",
        "es": "despues. luego. tarde. siguiente",
        "en": "after. later. afterwards. next. following.",
    },
    "again": {
        "it": "ancora. nuovo. nuovamente.",
        "pl": "znow ponown jeszcze. powtorn znowu.",
        "es": "otra. volver. vuelv nuevo. nuevamente. repet",
        "en": "again. back. repeat twice.",
    },
    "more": {
        "it": "piu. maggior eccesso. eccedenz avanz surplus. troppo. troppi. troppe.",
        "pl": "wiecej. nadmi nadwyzk zaduzo. duzo. najwiecej.",
        "es": "mas. mayor exces sobr demasiad",
        "en": "more. most. surplus. excess extra. spare. many.",
    },
    "less": {
        "it": "meno. minor",
        "pl": "mniej. najmniej.",
        "es": "menos. menor",
        "en": "less. fewer. fewest. least.",
    },
    "left": {
        "it": "rest riman rimas avanz sobr",
        "pl": "zosta pozosta reszt",
        "es": "qued sobr rest",
        "en": "left. leftover remain rest. stay stays.",
    },
    "lose": {
        "it": "perd pers. perso. persa. persi. fall sconfi",
        "pl": "przegr strac strat trac przepad utrat",
        "es": "pierd perd fall derrot",
        "en": "lose. loose. loses. lost. losing. loss. fail",
    },
    "win": {
        "it": "vinc vint vittor batt sconfi",
        "pl": "wygr zwycie pokon",
        "es": "gan vence venc victori derrot",
        "en": "win. wins. won. winning. winner. beat defeat victor",
    },
    "get": {
        "it": "prend prende ottien ottenere ricev guadagn tocca.",
        "pl": "dosta bior bierz zdob otrzym zysk wez wzi",
        "es": "recib coge cojo llev gan consig obten obtien tom toma.",
        "en": "get. gets. take takes. gain receive earn obtain grab",
    },
    "give": {
        "it": "dar. dare. dai. torn rend restitu rimborso.",
        "pl": "odda wraca wroc zwrac zwrot odzysk",
        "es": "devuel devolv recuper vuelv",
        "en": "return refund recover back. regain",
    },
    "steal": {
        "it": "rub sottra",
        "pl": "krad ukra zabier zabra",
        "es": "robarle quit roban. hurt",
        "en": "steal stole stolen. rob.",
    },
    "show": {
        "it": "mostr vedere. vedono. vede. vedo. rivel scopr guard sbirc segret nascost",
        "pl": "pokaz widz widoczn podgl podejrz patrz zobacz jawn ukry tajn obejrz",
        "es": "mostr muestr ensen ver. veo. ven. mir revel secret ocult",
        "en": "show see. sees. look peek reveal visible. hidden. secret hide know.",
    },
    "empty": {
        "it": "vuot finit esaur finisc finire",
        "pl": "pust skoncz konczy wyczerp brak brakuje",
        "es": "vaci acab agot termin",
        "en": "empty. empties. runs. run. ran. out. gone. exhausted.",
    },
    "end": {
        "it": "fine. finisc finit finire. termin conclu ferm",
        "pl": "koniec. konca. koncu. konczy skoncz zakoncz",
        "es": "fin. final. acab termin par. parar. paro.",
        "en": "end. ends. ending. over. finish stop stops.",
    },
    "begin": {
        "it": "inizi cominci partire. part.",
        "pl": "zaczyn zacz rozpocz poczatk start",
        "es": "empiez empez comienz comenz inici",
        "en": "begin start starts initial",
    },
    "pay": {
        "it": "pag cost spend",
        "pl": "plac zaplac kosztu koszt wyda",
        "es": "pag cuest gast cost",
        "en": "pay. pays. paid. cost costs. spend spent price",
    },
    "use": {
        "it": "usa uso. usi. utilizz",
        "pl": "uzy wykorzyst zuzy",
        "es": "usa uso. use utiliz aprovech",
        "en": "use. uses. used. using. spend",
    },
    "keep": {
        "it": "ten tien mantien conserv",
        "pl": "zachow zatrzym trzyma",
        "es": "guard conserv qued manten",
        "en": "keep kept. hold retain stay",
    },
    "count": {
        "it": "conta conto. conti. vale. valgono. valid",
        "pl": "licza liczy liczo liczen wlicz zalicz",
        "es": "cuent conta vale. valen.",
        "en": "count counts. counted. valid",
    },
    "forget": {
        "it": "diment scord",
        "pl": "zapomn",
        "es": "olvid",
        "en": "forg",
    },
    "refuse": {
        "it": "rifiut evit rinunc",
        "pl": "odmow odmaw unikn rezygn",
        "es": "neg niego. evit rechaz renunc",
        "en": "refuse avoid decline skip",
    },
    "choose": {
        "it": "scegl scelt decid",
        "pl": "wybier wybr wybor decyd",
        "es": "elig eleg escog decid",
        "en": "choose chose choice pick decide which.",
    },
    "round-off": {
        "it": "arrotond virgola. frazion decimal mezzo. intero.",
        "pl": "zaokrag ulam przecin polowk calkowit",
        "es": "redonde fracci decimal coma. entero.",
        "en": "round. rounded rounding fraction decimal half.",
    },
    "anywhere": {
        "it": "ovunque. dovunque. qualsiasi. qualunque. dove.",
        "pl": "gdziekolwiek. dowoln wszedzie. gdzie.",
        "es": "cualquier donde. dondequiera.",
        "en": "anywhere. any. where. wherever. everywhere.",
    },
    "near": {
        "it": "vicin accanto. adiacent tocc collegat attaccat",
        "pl": "obok. sasi styk przyleg dotyk polaczon",
        "es": "lado. junto. toca tocar. adyacent conect pegad contigu",
        "en": "near next. adjacent touch beside connected. neighbour neighbor",
    },
    "several": {
        "it": "divers piu. parecchi molti. molte. vari",
        "pl": "kilk wiele. wielu. rozn",
        "es": "vari mucho muchos. divers",
        "en": "several. many. multiple different. various.",
    },
    "order": {
        "it": "ordine. ordin sequenz",
        "pl": "kolejnos porzad",
        "es": "orden",
        "en": "order sequence",
    },
    "split-up": {
        "it": "divid divis spartir ripart",
        "pl": "dziel podziel rozdziel",
        "es": "repart divid parti",
        "en": "split divide share shared. separate",
    },
    "alone": {
        "it": "sol. solo. sola. soli. isolat singol unic",
        "pl": "samotn jedyn pojedyncz jeden. jedna. sam.",
        "es": "solo. sola. suelt aislad unic",
        "en": "alone. lone. single. only. isolated.",
    },
    "amount": {
        "it": "quant massim max. limite. uno. una. due. tre. quattro. cinque. sei.",
        "pl": "ile. ilu. najwyz maks max. jeden. jedna. jedno. jedn dwa. dwie. dwoch dwoj trzy. trzech"
        " cztery. czterech piec. pieciu szesc",
        "es": "cuant maxim max. un. uno. una. dos. tres. cuatro. cinco. seis.",
        "en": "many. much. most. max. maximum. one. two. three. four. five. six. often.",
    },
    "answer": {
        "it": "rispond reag",
        "pl": "odpowied reag",
        "es": "respond reaccion contest",
        "en": "answer respond react reply",
    },
    "protect": {
        "it": "protegg protett difend sicur salv",
        "pl": "chron bezpieczn obron",
        "es": "proteg salvo. segur",
        "en": "protect safe. immune. secure",
    },
    "discarded": {
        "it": "scart butt",
        "pl": "odrzu wyrzuc",
        "es": "descart",
        "en": "discard throw. away. remov",
    },
    "announced": {
        "it": "dichiar annunc detto. dire.",
        "pl": "deklar zapowied oglos powiedz mowi",
        "es": "declar anunci dije. decir. dicho.",
        "en": "declar announc said. say. told.",
    },
}


def _by_beginning() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for sense, by_lang in _LISTED.items():
        for lang, listed in by_lang.items():
            for begin in fold(listed).split():
                of_lang = found.setdefault(lang, {})
                of_lang[begin] = (*of_lang.get(begin, ()), sense)
    return found


_BEGINNINGS = _by_beginning()


@lru_cache(KEPT)
def senses(word: str, lang: str) -> tuple[str, ...]:
    """What a word means beside itself."""
    plain, known = fold(word), _BEGINNINGS[lang]
    begins = (plain[:length] for length in range(2, len(plain) + 1))
    return tuple(dict.fromkeys(s for begin in (*begins, f"{plain}.") for s in known.get(begin, ())))
