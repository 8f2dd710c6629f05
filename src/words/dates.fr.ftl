# Les dates et les heures en français.

weekday = { $number ->
    [1] lundi
    [2] mardi
    [3] mercredi
    [4] jeudi
    [5] vendredi
    [6] samedi
   *[7] dimanche
}
month = { $number ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
}
day = { $number ->
    [1] 1er
   *[other] { $number }
}
moment = { $weekday } { $day } { $month } { $year } à { $time }
short-moment = { $weekday } { $day } { $month } à { $time }
date = { $weekday } { $day } { $month }
date-of-year = { $day } { $month } { $year }
short-month = { $month_number ->
    [1] janv.
    [2] févr.
    [3] mars
    [4] avr.
    [5] mai
    [6] juin
    [7] juil.
    [8] août
    [9] sept.
    [10] oct.
    [11] nov.
   *[12] déc.
}
