"""Phrases with alternatives, `{a|b|c}`, and slots, `<product>`."""

import re
from random import Random

GROUP = re.compile(r"\{([^{}]*)\}")
SLOT = re.compile(r"<(product|number|amount|date|name|city)>")
PRODUCTS = (
    "lamp kettle blender headphones laptop tablet phone charger keyboard monitor printer router camera drone speaker toaster "
    "vacuum jacket boots trainers dress shirt backpack suitcase tent bike helmet scooter mattress sofa desk chair shelf mirror "
    "rug plant book puzzle game console watch bracelet perfume cream shampoo vitamins coffee tea wine cake stroller toy"
).split()
NAMES = "Anna Ben Carla David Emma Farid Grace Hugo Iris Jonas Karin Liam Maria Noah Olga Paul Rosa Sam Tina Umar Vera Will".split()
CITIES = "Berlin London Leeds Madrid Rome Paris Vienna Oslo Dublin Boston Denver Austin Lisbon Prague Cardiff Bristol".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()


def expand(text: str, random: Random) -> str:
    """One of the messages that a phrase stands for."""
    while "{" in text:
        chosen = GROUP.sub(lambda match: random.choice(match.group(1).split("|")), text)
        if chosen == text:
            break
        text = chosen
    text = SLOT.sub(lambda match: _fill(match.group(1), random), text)
    text = re.sub(r" +([,.!?])", r"\1", re.sub(r"  +", " ", text)).strip()
    return text[:1].upper() + text[1:] if random.random() < 0.8 else text


def _fill(slot: str, random: Random) -> str:
    if slot == "product":
        return random.choice(PRODUCTS)
    if slot == "number":
        return random.choice(("", "#", "no. ")) + str(random.randint(1000, 999999))
    if slot == "amount":
        amount = f"{random.randint(1, 400)}" + random.choice(("", ".99", ".50", ".00"))
        return random.choice((f"${amount}", f"{amount} euros", f"£{amount}", f"{amount} EUR"))
    if slot == "date":
        return random.choice((random.choice(DAYS), f"{random.randint(1, 28)} {random.choice(MONTHS)}", f"{random.choice(MONTHS)} {random.randint(1, 28)}"))
    return random.choice(NAMES if slot == "name" else CITIES)
