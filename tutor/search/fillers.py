"""Words of a question that say nothing about what is looked for, and numbers, which are typed as digits."""

from collections.abc import Mapping, Sequence

from tutor.book.stems import fold, stem

_LISTED = {
    "it": "a abbia abbiamo abbiano ad adesso agli ai al alcuni alla alle allo allora altra altre altri altro"
    " anche ancora appena avere avete aveva avevo boh c che chi ci cioè coi col come con cos cosa così"
    " cui d da dai dal dalla dalle dallo davvero degli dei del dell della delle dello dentro dev deve"
    " devi devo devono di dice dire dopo dove dunque e ecco ed era essere fa faccio fai fanno far fare"
    " fatto fra già gli glielo ha hai hanno ho i il in insomma invece io l la le lei li lo loro lui lì"
    " ma magari me mentre mi mia mie miei mio molto ne nei nel nell nella nelle nello noi non nostra"
    " nostro o ogni ok okay oppure ora per perché però poi poniamo possiamo posso possono potere potrei"
    " puoi pure può qua qual qualche qualcosa qualcuno quale quali quando quanta quante quanti quanto"
    " quella quelle quelli quello questa queste questi questo qui sarebbe scusa se sei sempre serve si"
    " sia siamo siete solo sono spesso sta stanno stare stata stati stato stessa stesse stessi stesso"
    " sto su sua subito succede sue sui sul sull sulla sulle suo suoi tante tanti tanto te ti tipo tizio"
    " tra tu tua tuo tutta tutte tutti tutto un una uno va vado vale vanno vero vi viene voglio voi"
    " volta volte vorrei vuole è",
    "pl": "a aby akurat albo ale ależ aż bardzo bez bo by byli być był była było będzie będą cały chce chcę"
    " chyba ci co cokolwiek coś czasem czego czemu czy czyli czym cóż da dalej dać dla dlaczego do dobra"
    " dobrze dopiero ej gdy gdyby gdzie go gościu halo hej i ich ile ilu im inaczej inna inne innego"
    " inni inny innych iść ja jak jaka jaki jakich jakie jakiś jako je jednak jego jej jemu jest jestem"
    " jeszcze jeśli jeżeli już kiedy kim kogo koleś komu kto ktoś która które którego której który"
    " których którym lub ma macie mają mam mamy mi miał mieć mnie moge mogą moim moja moje mojego mojej"
    " może możemy można mu musi muszą muszę my mój na nad nam nas nawet nic nich nie niego niej nim niż"
    " no o od odkąd on ona one oni ono opłaca oraz po pod podczas potem powiedzmy poza przed przez przy"
    " raczej raz razy reszta reszty resztą robi robić robię również sam sama samo się skoro sobie stary"
    " swoich swoim swoja swoje swojego swojej swój są ta tak taka taki takie także tam te tego tej temu ten"
    " teraz też to tobie trzeba tu tutaj twoja twój ty tych tylko tym typ tę u w wam was wasz we więc"
    " wolno wszyscy wszystkich wszystkie wszystko wtedy wy właśnie z za zaraz zatem zawsze ze znowu że"
    " żeby",
    "es": "a acaba acabo adónde ahora al algo alguien alguna algunas alguno algunos algún allí ante antes"
    " aquel aquí así aun aunque aún bueno cada casi chico como con creo cual cuales cualquier cuando"
    " cuanta cuantas cuanto cuantos cuya cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo da dan"
    " dar de debe deben debo decir dejan dejar del desde después dice dicho digo dije donde dos durante"
    " dónde e el ella ellas ellos en entonces entre era es esa esas ese eso esos esta estar estas este"
    " esto estos estoy está están fue ha hace hacemos hacen hacer hago han hasta hay he hemos hice hizo"
    " igual ir la las le les lo los luego me mejor mi mis misma mismas mismo mismos mucho muy más mía"
    " mío nada necesito ni no nos nosotros nuestra nuestro o os otra otras otro otros oye para pasa pasó"
    " pero podemos poder por porque porqué puede pueden puedes puedo pues que queda quedamos quedan"
    " quien quienes quiero quién qué se sea según ser si siempre sigo sigue sin so sobre sois solo somos"
    " son soy su sus suya suyo sí sólo tal también tampoco tan tanto te tenemos tener tengo ti tiene"
    " tienen toda todas todo todos tras tu tus tía tío tú un una unas uno unos usted va vale vamos van"
    " veces vez vosotros voy y ya yo él",
    "en": "a about actually after again all already also always am an and another any anybody anyone anything"
    " are aren arent as at away back be because been before being both but by came can cannot cant could"
    " couldn couldnt d did didn didnt do does doesn doesnt doing don done dont dude during each either"
    " else even ever every everybody everyone for from get gets getting go goes going gonna got guy guys"
    " had happen happened happens has hasn hasnt have haven havent having he her here hers hey him his how"
    " i if im in instead into is isn isnt it its itself ive just kind let lets like ll m made make makes"
    " many may maybe me might mine more most much must my myself need needs no not now of off often ok"
    " okay on one ones only onto or other others our ours out over please quite re really right s said"
    " same say says she should shouldn shouldnt so some somebody someone something still such t than that"
    " thats the their theirs them then there these they thing things this those though thru till to too u"
    " until up upon us ve very wait wanna want wants was wasn wasnt we well were what whatever whats when"
    " whenever where whether which while who whoever whos whose why will with within without won wont"
    " would wouldn wouldnt yes yet you your yours",
}

FILLERS: Mapping[str, frozenset[str]] = {
    lang: frozenset(map(fold, listed.split())) for lang, listed in _LISTED.items()
}
"""Each language's, without accents."""
ANY_FILLER = frozenset[str]().union(*FILLERS.values())
"""People mix languages."""

_ORDINARY = {
    "it": "altezza anno ballo barare bere birra bocca cadere calma caro cento chiesa cibo città coda collo"
    " contento corpo corretto denaro difficile dolore entrare estate festa figlio fiori forse fronte gatto"
    " gesto giorno gita giudice gola gomma grazie grosso gusto impossibile internet inverno ladro lago"
    " latte legale legno libretto libro madre mancante mandare mare marito medico mercato mese mestiere"
    " metro migliore migliori mila moglie mondo moto nasce natale neve normale offre oggi padre paese"
    " palla papà parco pasta pazienza pazzo peggio piace pianta piccola piede pizza ponte potente pronta"
    " pronto radio raro riva rosa ruota scala scarpa scuro secco secolo sedia sentire sera seria sete"
    " settimana sogno soldi sonno spera spingere sposa stanco strano stretto suono svelto tema tempo terra"
    " torre uccidere utile valle vendere vento viaggio vino viso vita",
    "pl": "bajka basen boję brać choroba czuje czyścić dlatego domek dozwolony dzieci dziecko fajny gorzej"
    " grzech gwiazdka głupie impreza internet jasne jasny jazda jedzenie kawa kiedyś kolano kosz krzyk"
    " krótki legalny liść metr miesiąc miesiące mieszka morze naprawić niebo niech niedługo niemożliwe"
    " nocny obrać okno palec park patrzeć pies pisać piwo pizza piłka plaża powoli praca przerwa przykro"
    " przynieść przyszłość półka płacz rano rzeka sekret srebro strach suchy szkoda sławny tani test torba"
    " tort trawa trudno uczyć ulica usta wewnątrz wiara wiatr wiedza wiedzieć wiem wieś zabić zadanie"
    " zakazany zapach znajdę zwierzę łatwe łatwo ściana środa święto",
    "es": "adentro altura ancho andar anoche asco aula ayer barato baño boda bola buena caer café calma calor"
    " cama campo cerdo chica ciencia cierto cine cola contento copa correr cuidado descanso despacio digno"
    " dios dolor enero entrar esposa extraño falda falso fiel fuego fuente fácil guía hambre helado"
    " hermana hielo hora hueso huevo ilegal imposible internet juez juzgar lago lección leer leve loco"
    " luces madera madre marido mayo mañana mentira mercado metro minuto mono montaña monte mosca médico"
    " nieto nieve niño noche oeste parque paseo pasta pata país pena pensar pensé peor perdón permiso"
    " perro piedra piel pierna pizza playa portarse postre probar puño quemar queso quizás rama raro real"
    " recuerdo respuesta ropa rápido seguro sexo siglo silla simple soldado sopa sordo tema tierra tonto"
    " torpe traje tramposo tren tronco valiente valle ventana vida viento vino éxito útil",
    "en": "able apple arrive bake band bear became bell bend best bill bird bite bitter black blank blow boil"
    " book bored boring bother bright brown bury busy cake camp cause chair charge chase chat cheap cheat"
    " cheating chess clever coat cold college common complain complex courage crazy cute dark deal dear"
    " desk devil difficult dinner dumb ease east enter entire expect fair fake false farm fast father fear"
    " fever fire firm flew flower forget fork freeze gentle girl gold grass greet ground hang hear heard"
    " height hits hole hours important impossible internet keen kids lady lake lazy leaf lent life lift"
    " live lucky mail main market master meat mess mild minor model mood mother movie music necessary news"
    " night noon north note pain pants parent park party path pets phone phrase pizza poker present press"
    " prize purpose push queen question quit radio rain real referee remind repair ride rides road robot"
    " role rough ruin scared science seem seems sell send shake shame sharp ship shoe shop shore short"
    " shut sick sight simple sing skin slide slight slow small smart snow sock soft sold solid solve sore"
    " speed spoil spoon sport spring store story strange suit super sure sweat tail tall teach theme thin"
    " thought throat tight title today toes tool tour town trade treat tree trees trick tricks trip unit"
    " valid various warned wash week weight west width wife witch word words worst write",
}
ORDINARY = frozenset(fold(word) for listed in _ORDINARY.values() for word in listed.split())
"""Words that every language has and our texts lack: nobody means the nearest that they have."""

_WORTH = {
    "it": "vale valgono valore valori punto punti punteggio",
    "pl": "wart warta warte warto wartość wartości punkt punkty punktów daje dają",
    "es": "vale valen valor valores punto puntos puntúa puntúan puntuación",
    "en": "worth value values point points score scores",
}
WORTH: Mapping[str, frozenset[str]] = {
    lang: frozenset(map(fold, listed.split())) for lang, listed in _WORTH.items()
}
"""Words that ask what something is worth."""

_WHO = "everybody everyone he i may might players she should they to u we who will would you"
VERBS: Mapping[str, Mapping[str, tuple[frozenset[str], str]]] = {
    "en": {"die": (frozenset(_WHO.split()), "eliminated")}
}
"""Words that are also forms of a verb: after which words, and how to say it plainly."""


def as_meant(typed: Sequence[str], lang: str) -> list[str]:
    """With verbs that look like something else said plainly: "if I die" is not about dice."""
    verbs = VERBS.get(lang, {})
    before = ("", *map(fold, typed))
    meant = (verbs.get(fold(word), (frozenset[str](), word)) for word in typed)
    return [
        plain if last in after else word
        for word, last, (after, plain) in zip(typed, before, meant, strict=False)
    ]


_NUMBERS = {
    "it": ["zero", "uno una", "due", "tre", "quattro", "cinque", "sei"],
    "pl": [
        "zero",
        "jeden jedna jedno jednej jedną",
        "dwa dwie dwóch dwoje",
        "trzy trzech",
        "cztery czterech",
        "pięć pięciu",
        "sześć sześciu",
    ],
    "es": ["cero", "un uno una", "dos", "tres", "cuatro", "cinco", "seis"],
    "en": ["zero", "one", "two", "three", "four", "five", "six"],
}
NUMBERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    lang: {
        str(number): tuple(stem(word, lang) for word in said.split()) for number, said in enumerate(listed)
    }
    for lang, listed in _NUMBERS.items()
}
"""The stems of the words for a digit."""
DIGITS: Mapping[str, Mapping[str, str]] = {
    lang: {said: digit for digit, of_digit in numbers.items() for said in of_digit}
    for lang, numbers in NUMBERS.items()
}
"""The digit for the stem of a word."""
